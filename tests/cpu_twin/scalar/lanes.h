// What the lanes of a warp do together, from the definitions.
#pragma once

#include <cstdint>
#include <string_view>

namespace scalar {

/// The lane that `lane` reads from in a shfl with operands b and c; `valid` is the predicate.
inline int shuffle_source(std::string_view mode, int lane, uint32_t b, uint32_t c, bool* valid) {
  const int step = static_cast<int>(b & 31), bound = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int last = (lane & segment) | (bound & ~segment & 31), first = lane & segment;
  int from = lane;
  if (mode == "up")
    from = lane - step, *valid = from >= last;
  else if (mode == "down")
    from = lane + step, *valid = from <= last;
  else if (mode == "bfly")
    from = lane ^ step, *valid = from <= last;
  else
    from = first | (step & ~segment), *valid = from <= last;
  return *valid ? from : lane;
}

}  // namespace scalar
