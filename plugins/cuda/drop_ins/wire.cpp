#include "wire.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace torchlight::drop_ins {

bool send_bytes(int socket, const void* bytes, std::size_t count, int descriptor) {
  iovec piece{const_cast<void*>(bytes), count};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(count);
}

Received receive_bytes(int socket, void* bytes, std::size_t count, int* descriptor) {
  iovec piece{bytes, count};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  int passed = -1;
  const cmsghdr* header = got >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len >= CMSG_LEN(sizeof(int)))
    std::memcpy(&passed, CMSG_DATA(header), sizeof passed);
  if (descriptor)
    *descriptor = passed;
  else if (passed >= 0)
    ::close(passed);
  if (got <= 0) return Received::end;
  const bool fits = got == static_cast<ssize_t>(count) && (message.msg_flags & MSG_TRUNC) == 0;
  return fits ? Received::message : Received::other_message;
}

namespace {

/// A page that turns out to be missing when it is first written ends the process that writes.
bool reserve(int descriptor, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{1} << 20;  // done before the next tick of a profiler
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t size = std::min(piece, bytes - at);
    const int error = ::posix_fallocate(descriptor, static_cast<off_t>(at), static_cast<off_t>(size));
    if (error == EINTR) continue;
    if (error != 0) return false;
    at += size;
  }
  return true;
}

}  // namespace

Region::~Region() { clear(); }

void Region::clear() {
  if (memory_) ::munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
  memory_ = nullptr;
  descriptor_ = -1;
  bytes_ = 0;
}

bool Region::create(std::size_t bytes) {
  clear();
  descriptor_ = ::memfd_create("torchlight-drop-in", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) return false;
  bytes_ = bytes;
  // Were the helper to cut it, our own next access would end this process.
  if (!reserve(descriptor_, bytes) ||
      ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 || !map()) {
    clear();
    return false;
  }
  return true;
}

bool Region::adopt(int descriptor, std::size_t bytes) {
  clear();
  descriptor_ = descriptor;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && static_cast<std::size_t>(status.st_size) == bytes) {
    bytes_ = bytes;
    if (map()) return true;
  }
  clear();
  return false;
}

bool Region::map() {
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = memory;
  // A fork of either process has no business there: what a launcher forks would go on writing into it.
  ::madvise(memory_, bytes_, MADV_DONTFORK);
  return true;
}

}  // namespace torchlight::drop_ins
