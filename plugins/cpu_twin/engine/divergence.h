// Which registers may differ between the lanes of a warp, and which writes must leave other lanes' values alone.
//
// A register is uniform while all lanes that read it see one value. Lanes that wait meanwhile, on the other side
// of a branch or where its sides meet, must not see what the running ones write: so what is written on a side of
// a branch that diverges, and is alive on the other side or where they meet, varies, and is written under a mask.
#pragma once

#include <vector>

#include "engine/flow.h"
#include "engine/liveness.h"

namespace twin {

/// What is known of a launch when its code is made.
struct Shape {
  /// Lanes of a warp follow each other in x: the block is a line, or its width is a multiple of 32.
  bool warps_along_x = false;
};

struct Divergence {
  std::vector<bool> varying;        // by register
  std::vector<bool> branch;         // by block: its lanes may part at its end
  std::vector<RegisterSet> keep;    // by block: a write leaves the lanes that are not active as they are
};

Divergence divergence_of(const ptx::Function& function, const Flow& flow, const Liveness& live, Shape shape);

}  // namespace twin
