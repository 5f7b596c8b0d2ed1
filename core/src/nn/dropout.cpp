#include <torchlight/nn/dropout.h>

#include <torchlight/nn/functional/layers.h>
#include <torchlight/ops.h>
#include <torchlight/random.h>

#include "support/text.h"

namespace torchlight::nn {

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1)) throw Error(text("Dropout: the probability is ", p, ", not in 0 … 1"));
}
Tensor Dropout::forward(const Tensor& x) { return functional::dropout(x, p_, is_training()); }
std::string Dropout::extra_repr() const { return text("p=", p_); }

namespace functional {

Tensor dropout(const Tensor& x, double p, bool training) {
  if (!(p >= 0 && p <= 1)) throw Error(text("dropout: the probability is ", p, ", not in 0 … 1"));
  if (!training || p == 0) return x;
  if (p == 1) return x * 0;
  const Tensor kept = bernoulli(x.shape(), 1 - p, {.dtype = x.dtype(), .device = x.device()});
  return x * (kept / (1 - p));
}

}  // namespace functional
}  // namespace torchlight::nn
