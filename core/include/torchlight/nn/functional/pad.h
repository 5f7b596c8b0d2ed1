#pragma once

#include <torchlight/nn/pair.h>
#include <torchlight/shape.h>
#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight::nn::functional {

/// What stands in the added places: a value; the inside mirrored at its last element; that element; or the
/// inside again from the other end.
enum class PadMode { constant, reflect, replicate, circular };

/// Two numbers for each padded dim, before and after, beginning with the last dim: {left, right, top,
/// bottom} pads the last two. With PadMode::constant a negative number cuts. Error where the padding doesn't
/// fit the shape: reflect pads by less than the dim's size, circular by no more than it.
Tensor pad(const Tensor& x, const std::vector<std::int64_t>& padding, PadMode mode = PadMode::constant,
           double value = 0);

/// The last two dims with `value` around: (…, H, W) → (…, H + 2 height, W + 2 width).
Tensor pad2d(const Tensor& x, Pair padding, double value = 0);

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
