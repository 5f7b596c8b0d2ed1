#pragma once

#include <vector>

#include "../call.h"

/// The right answers, in float64.
namespace torchlight::drop_ins {

/// What each output of a call should hold, in the order of its buffers. `eps`: what layernorm_fw, and
/// layernorm_bw in the tutorial's spelling, add to the variance; below 0: the rows are normalised
/// already.
std::vector<std::vector<double>> expected(const Call& call, const float* region, double eps);

}  // namespace torchlight::drop_ins
