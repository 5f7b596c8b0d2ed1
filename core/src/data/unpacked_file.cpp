#include "data/unpacked_file.h"

#include <algorithm>
#include <limits>
#include <new>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::data {
namespace {

constexpr std::size_t block = 64 << 10;
constexpr unsigned char magic[] = {0x1f, 0x8b};

}  // namespace

UnpackedFile::UnpackedFile(const std::string& path) : path_(path), file_(path) {
  char head[sizeof magic];
  is_packed_ = file_.read(0, head) == sizeof head &&
               std::equal(head, head + sizeof head, magic,
                          [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
  if (!is_packed_) return;
  fetched_.resize(block);
  constexpr int gzip_alone = 16;
  if (inflateInit2(&stream_, MAX_WBITS + gzip_alone) != Z_OK) throw std::bad_alloc();
}

UnpackedFile::~UnpackedFile() {
  if (is_packed_) inflateEnd(&stream_);
}

void UnpackedFile::fail(const char* what) const {
  throw FileError(text(path_, ": ", what, ", at byte ", position_ - stream_.avail_in));
}

std::size_t UnpackedFile::read(std::span<char> to) {
  to = to.first(std::min<std::size_t>(to.size(), std::numeric_limits<uInt>::max()));
  if (!is_packed_) {
    const std::size_t count = file_.read(position_, to);
    position_ += count;
    return count;
  }
  stream_.next_out = reinterpret_cast<Bytef*>(to.data());
  stream_.avail_out = static_cast<uInt>(to.size());
  while (stream_.avail_out == to.size()) {
    if (stream_.avail_in == 0 && !fetch()) {
      if (in_member_) fail("the compressed data is cut off");
      break;
    }
    if (!in_member_) begin_member();
    unpack();
  }
  return to.size() - stream_.avail_out;
}

// False at the end of the file.
bool UnpackedFile::fetch() {
  const std::size_t count = file_.read(position_, fetched_);
  position_ += count;
  stream_.next_in = reinterpret_cast<Bytef*>(fetched_.data());
  stream_.avail_in = static_cast<uInt>(count);
  return count > 0;
}

void UnpackedFile::begin_member() {
  if (*stream_.next_in != magic[0]) fail("something that isn't gzip follows the compressed data");
  inflateReset(&stream_);
  in_member_ = true;
}

void UnpackedFile::unpack() {
  switch (inflate(&stream_, Z_NO_FLUSH)) {
    case Z_OK:
    case Z_BUF_ERROR: return;  // it wants more input
    case Z_STREAM_END: in_member_ = false; return;
    case Z_MEM_ERROR: throw std::bad_alloc();
    default: fail("the compressed data is damaged");
  }
}

}  // namespace torchlight::data
