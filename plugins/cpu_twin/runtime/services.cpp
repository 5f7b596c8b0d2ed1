#include "runtime/services.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "check/checker.h"
#include "engine/ir.h"
#include "runtime/block.h"
#include "runtime/memory.h"
#include "runtime/profiler.h"

namespace twin {
namespace {

BlockRunner& runner_of(Warp* warp) { return *static_cast<BlockRunner*>(warp->block); }

int32_t access(Warp* warp, const uint64_t* addresses, Mask mask, uint32_t what, uint32_t line,
               const void* values) {
  auto* checker = static_cast<Checker*>(runner_of(warp).observer());
  return checker && !checker->access(*warp, addresses, mask, what, line, values);
}

void sync(Warp* warp, uint32_t kind, Mask) {
  if (auto* checker = static_cast<Checker*>(runner_of(warp).observer())) checker->sync(*warp, kind);
}

/// One conversion of a format, from the packed arguments: each stands at a multiple of its own size.
class Arguments {
 public:
  explicit Arguments(const void* packed) : at_(static_cast<const char*>(packed)) {}
  template <class T> T next() {
    const size_t skipped = reinterpret_cast<uintptr_t>(at_) % sizeof(T);
    if (skipped) at_ += sizeof(T) - skipped;
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

 private:
  const char* at_;
};

/// As printf writes it, however long.
template <class T> void append(std::string& text, const std::string& conversion, T value) {
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  if (length <= 0) return;
  const size_t before = text.size();
  text.resize(before + static_cast<size_t>(length) + 1);
  std::snprintf(text.data() + before, static_cast<size_t>(length) + 1, conversion.c_str(), value);
  text.pop_back();
}

std::string formatted(const char* format, const void* packed) {
  Arguments arguments(packed);
  std::string text;
  for (const char* at = format; *at;) {
    if (*at != '%') {
      text += *at++;
      continue;
    }
    if (at[1] == '%') {
      text += '%';
      at += 2;
      continue;
    }
    std::string one = "%";
    int longs = 0, values[2], stars = 0;
    for (++at; *at && std::strchr("-+ #0123456789.*lhzjt", *at); ++at) {
      if (*at == '*' && stars < 2) values[stars++] = arguments.next<int>();
      if (std::strchr("lzjt", *at))
        ++longs;
      else if (*at != 'h')
        one += *at;
    }
    // A star's value goes into the text, so that one call serves all.
    for (int k = 0; k < stars; ++k) one.replace(one.find('*'), 1, std::to_string(values[k]));
    const char kind = *at ? *at++ : '%';
    if (std::strchr("di", kind)) {
      if (longs)
        append(text, one + "lld", arguments.next<long long>());
      else
        append(text, one + "d", arguments.next<int>());
    } else if (std::strchr("uxXo", kind)) {
      if (longs)
        append(text, one + "ll" + kind, arguments.next<unsigned long long>());
      else
        append(text, one + kind, arguments.next<unsigned>());
    } else if (kind == 'c') {
      append(text, one + "c", arguments.next<int>());
    } else if (std::strchr("eEfFgGaA", kind)) {
      append(text, one + kind, arguments.next<double>());
    } else if (kind == 's') {
      const char* words = arguments.next<const char*>();
      append(text, one + "s", words ? words : "(null)");
    } else if (kind == 'p') {
      append(text, one + "p", arguments.next<void*>());
    } else {
      text += one + kind;
    }
  }
  return text;
}

int32_t print(const char* format, const void* packed) {
  const std::string text = formatted(format, packed);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return static_cast<int32_t>(text.size());
}

void assertion(Warp* warp, const char* message, const char* file, uint32_t line, const char* function,
               uint32_t lane) {
  BlockRunner& runner = runner_of(warp);
  if (runner.trouble().kind != Trouble::Kind::none) return;
  runner.report(*warp, lane, Trouble::Kind::assertion,
                cat(file ? file : "?", ":", line, ": ", function ? function : "?", ": assertion \"",
                    message ? message : "?", "\" failed"),
                0);
}

void* allocate(Warp*, uint64_t bytes) {
  return Memory::of_process().allocate(bytes, MemoryKind::device);
}
void release(Warp*, void* pointer) {
  if (pointer) Memory::of_process().release(pointer);
}

void executed(Warp* warp, uint32_t instructions, Mask mask) {
  if (Profiler* profiler = runner_of(warp).profiler())
    profiler->executed(*warp, instructions & ~(1U << 31), mask, instructions >> 31);
}
void parted(Warp* warp, uint32_t line) {
  if (Profiler* profiler = runner_of(warp).profiler()) profiler->parted(*warp, line);
}
void touched(Warp* warp, const uint64_t* addresses, Mask mask, uint32_t what, uint32_t line) {
  if (Profiler* profiler = runner_of(warp).profiler())
    profiler->touched(runner_of(warp), addresses, mask, what, line);
}

uint64_t nanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

const Services& services() {
  static constexpr Services table = {access,  sync,     print,  assertion, allocate,
                                     release, executed, parted, touched,   nanoseconds};
  return table;
}

}  // namespace twin
