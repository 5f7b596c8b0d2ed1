// Which registers may differ between the lanes of a warp, and which writes must leave other lanes' values alone.
//
// A register is uniform while all lanes that read it see one value. Lanes that wait meanwhile, on the other side
// of a branch or where its sides meet, must not see what the running ones write: so what is written on a side of
// a branch that diverges, and is alive on the other side or where they meet, varies, and is written under a mask.
//
// Among those that vary, some are known by few numbers: a row of threads has x, x + 1, x + 2 … These are kept as the
// first lane's value and a step, one for each row of threads in the warp.
#pragma once

#include <optional>
#include <vector>

#include "engine/flow.h"
#include "engine/liveness.h"

namespace twin {

/// What is known of a launch when its code is made.
struct Shape {
  /// How many rows of threads a warp is made of: 1 where its lanes follow each other in x (the block is a line, or its
  /// width a multiple of 32), 2 or 4 where the block is 16 or 8 wide; 0: anything else.
  unsigned rows = 0;
};

struct Divergence {
  std::vector<bool> varying;  // by register
  std::vector<std::optional<int64_t>>
      step;                       // from lane to lane of a row, where that is all that varies
  std::vector<bool> guarded;      // … which holds if nothing wrapped around
  std::vector<bool> branch;       // by block: its lanes may part at its end
  std::vector<RegisterSet> keep;  // by block: a write leaves the lanes that are not active as they are
};

/// A step of numbers of so many bits, which wraps around as they do.
inline int64_t wrapped(uint64_t step, unsigned bits) {
  return bits == 32 ? static_cast<int32_t>(step) : static_cast<int64_t>(step);
}

Divergence divergence_of(const ptx::Function& function, const Flow& flow, const Liveness& live,
                         Shape shape);

}  // namespace twin
