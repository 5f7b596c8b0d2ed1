#pragma once

#include <stdint.h>

/// What a stream's kernels note of an index out of range, and the host reads when it waits for them.
namespace kernels {

constexpr uint64_t no_fault = ~uint64_t{0};

/// In device memory, one for each stream. Once described it stays as it is.
struct IndexFault {
  uint64_t position;  // of the first index out of range, row-major; or no_fault
  int64_t value, limit;
  uint64_t described;
};

}  // namespace kernels
