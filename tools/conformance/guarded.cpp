#include "guarded.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "process_state.h"

namespace torchlight::test {
namespace {

constexpr std::byte canary{0xc5};
constexpr std::size_t canary_bytes = 256;
constexpr std::size_t guard_bytes = std::size_t{1} << 16;

struct Region {
  const char* owner;
  std::byte *begin, *end;  ///< without the guards
};

std::vector<Region>& regions() {
  static auto* all = new std::vector<Region>;
  return *all;
}

std::array<char, 512> own_activity{};
std::span<char> activity = own_activity;

std::size_t page_ceil(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void on_crash(int signal, siginfo_t* details, void*) {
  AllocationFaults::end();
  const std::string where = GuardedPages::describe_fault(details->si_addr);
  std::printf("FAILED %s: %s%s%s\n", activity.data(), strsignal(signal), where.empty() ? "" : " at ",
              where.c_str());
  std::fflush(stdout);
  _exit(3);
}

}  // namespace

void GuardedPages::release() {
  if (!pages_) return;
  std::erase_if(regions(), [this](const Region& r) { return r.begin == pages_; });
  munmap(pages_ - guard_bytes, capacity_ + 2 * guard_bytes);
  pages_ = nullptr;
}

void GuardedPages::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  release();
  capacity_ = page_ceil(std::max(bytes, 2 * capacity_));
  void* all = mmap(nullptr, capacity_ + 2 * guard_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(all) + guard_bytes;
  if (mprotect(pages_, capacity_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  regions().push_back({owner_, pages_, pages_ + capacity_});
}

std::span<std::byte> GuardedPages::place(std::size_t bytes, Placement placement, std::size_t shift) {
  reserve(bytes + shift + 2 * canary_bytes);
  std::byte* begin =
      placement == Placement::at_begin ? pages_ + shift : pages_ + capacity_ - shift - bytes;
  buffer_ = {begin, bytes};
  std::byte* low = std::max(pages_, begin - canary_bytes);
  std::byte* high = std::min(pages_ + capacity_, begin + bytes + canary_bytes);
  std::fill(low, begin, canary);
  std::fill(begin + bytes, high, canary);
  return buffer_;
}

bool GuardedPages::intact() const {
  if (!pages_) return true;
  const auto is_canary = [](std::byte b) { return b == canary; };
  const std::byte* begin = buffer_.data();
  const std::byte* end = begin + buffer_.size();
  const std::byte* low = std::max<const std::byte*>(pages_, begin - canary_bytes);
  const std::byte* high = std::min<const std::byte*>(pages_ + capacity_, end + canary_bytes);
  return std::all_of(low, begin, is_canary) && std::all_of(end, high, is_canary);
}

std::string GuardedPages::describe_fault(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (const Region& r : regions()) {
    if (at >= r.end && at < r.end + guard_bytes) {
      return std::string(r.owner) + ": " + std::to_string(at - r.end) + " bytes behind its end";
    }
    if (at < r.begin && at >= r.begin - guard_bytes) {
      return std::string(r.owner) + ": " + std::to_string(r.begin - at) + " bytes before its begin";
    }
  }
  return {};
}

void report_crashes() {
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
}

void keep_activity_in(std::span<char> memory) { activity = memory; }

void set_current_activity(const std::string& text) {
  const std::size_t length = std::min(text.size(), activity.size() - 1);
  std::memcpy(activity.data(), text.data(), length);
  activity[length] = 0;
}

}  // namespace torchlight::test
