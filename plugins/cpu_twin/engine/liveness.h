// Registers that hold a value somebody still reads, at the beginning of each block.
#pragma once

#include <vector>

#include "engine/flow.h"

namespace twin {

using RegisterSet = std::vector<bool>;

struct Liveness {
  std::vector<RegisterSet> in;  // by block, and an empty set for the exit
  std::vector<RegisterSet> written;

  /// Registers whose value goes from one block to another: these have a place in the frame.
  RegisterSet crossing() const;
  RegisterSet out(const Flow& flow, size_t block) const;
};

Liveness liveness_of(const ptx::Function& function, const Flow& flow);

}  // namespace twin
