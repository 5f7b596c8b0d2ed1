#include <torchlight/nn/functional.h>

#include <torchlight/autograd.h>
#include <torchlight/random.h>

#include "support/text.h"

namespace torchlight::nn::functional {
namespace {

// The part of a padded image that isn't padding.
Tensor inside(const Tensor& padded, Pair padding) {
  return padded.slice(-2, padding.height, padded.size(-2) - padding.height)
      .slice(-1, padding.width, padded.size(-1) - padding.width);
}

}  // namespace

Tensor pad2d(const Tensor& x, Pair padding, double value) {
  if (x.dim() < 2 || padding.height < 0 || padding.width < 0)
    throw Error(text("pad2d: can't pad ", x.shape().str(), " by (", padding.height, ", ", padding.width,
                     "); it takes at least two dims and nothing negative"));
  if (padding == Pair(0)) return x;
  const auto forward = [=](FunctionContext&, const std::vector<Tensor>& inputs) {
    Shape shape = inputs[0].shape();
    shape[shape.rank() - 2] += 2 * padding.height;
    shape[shape.rank() - 1] += 2 * padding.width;
    const Tensor padded =
        full(shape, value, {.dtype = inputs[0].dtype(), .device = inputs[0].device()});
    inside(padded, padding).copy_(inputs[0]);
    return padded;
  };
  const auto backward = [=](FunctionContext&, const Tensor& gradient) {
    return std::vector{inside(gradient, padding)};
  };
  return custom_function("pad2d", {x}, forward, backward);
}

Tensor dropout(const Tensor& x, double p, bool training) {
  if (!(p >= 0 && p <= 1)) throw Error(text("dropout: the probability is ", p, ", not in 0 … 1"));
  if (!training || p == 0) return x;
  if (p == 1) return x * 0;
  const Tensor kept = bernoulli(x.shape(), 1 - p, {.dtype = x.dtype(), .device = x.device()});
  return x * (kept / (1 - p));
}

}  // namespace torchlight::nn::functional
