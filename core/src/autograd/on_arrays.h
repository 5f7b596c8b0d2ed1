#pragma once

#include "autograd/engine.h"

namespace torchlight::autograd {

/// The ordinary backward: rules run on arrays, nothing is recorded.
void run_on_arrays(const Pass<Array>& pass);

/// Which values the gradient of input i (2: and all after it) of this operation needs, as Needs.
unsigned needs_of(Op op, int i);

/// Whether the operation has a derivative at all; comparisons have none.
bool has_rule(Op op);

}  // namespace torchlight::autograd
