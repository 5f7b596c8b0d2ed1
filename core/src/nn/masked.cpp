#include <torchlight/nn/functional/masked.h>

#include <limits>

#include <torchlight/ops.h>

#include "nn/labels.h"
#include "support/text.h"

namespace torchlight::nn::functional {
namespace {

/// The mask as wide as x.
Tensor checked(const char* op, const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != boolean)
    throw Error(text(op, ": the mask must be bool, not ", name_of(mask.dtype())));
  bool fits = mask.dim() <= x.dim();
  for (std::int64_t d = 1; fits && d <= mask.dim(); ++d)
    fits = mask.size(-d) == 1 || mask.size(-d) == x.size(-d);
  if (!fits)
    throw Error(
        text(op, ": a mask of shape ", mask.shape().str(), " doesn't broadcast to ", x.shape().str()));
  return mask.expand(x.shape());
}

}  // namespace

Tensor masked_sum(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim) {
  return where(checked("masked_sum", x, mask), x, 0).sum(dims, keepdim);
}

Tensor masked_mean(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim) {
  const Tensor wide = checked("masked_mean", x, mask);
  const Tensor count = wide.sum(dims, keepdim);
  return where(wide, x, 0).sum(dims, keepdim) / count.to(is_floating(x.dtype()) ? x.dtype() : float32);
}

Tensor masked_max(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim) {
  const Tensor wide = checked("masked_max", x, mask);
  if (!wide.any(dims).all().item<bool>())
    throw Error(text("masked_max: the mask leaves nothing of some place in ", x.shape().str(),
                     " over dims ", dims.str(), ", and nothing has no maximum"));
  if (!is_floating(x.dtype()))
    throw Error(text("masked_max: takes floating-point numbers, not ", name_of(x.dtype())));
  return where(wide, x, -std::numeric_limits<double>::infinity()).max(dims, keepdim);
}

Tensor one_hot(const Tensor& indices, std::int64_t num_classes) {
  require_int64("one_hot", "class numbers", indices);
  std::int64_t classes = num_classes;
  if (num_classes == -1) {
    if (indices.numel() == 0)
      throw Error("one_hot: can't tell the number of classes from nothing; pass num_classes");
    classes = indices.max().item<std::int64_t>();
    if (classes < INT64_MAX) ++classes;
  }
  if (classes < 1 && num_classes != -1)
    throw Error(text("one_hot: num_classes is ", num_classes, "; must be positive, or -1"));
  check_numbers("one_hot", "number", "classes", indices, classes);
  const Tensor numbers =
      arange(static_cast<double>(classes), {.dtype = int64, .device = indices.device()});
  return (indices.unsqueeze(-1) == numbers).to(int64);
}

}  // namespace torchlight::nn::functional
