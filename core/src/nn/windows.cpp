#include "nn/windows.h"

#include "support/text.h"

namespace torchlight::nn {
namespace {

// (…, size, …) → (…, count, …, kernel) along one dim.
Tensor unfold_dim(const Tensor& x, std::int64_t dim, std::int64_t kernel, std::int64_t stride,
                  std::int64_t dilation) {
  const Tensor spans = x.unfold(dim, dilation * (kernel - 1) + 1, stride);
  return dilation == 1 ? spans : spans.slice(-1, {}, {}, dilation);
}

bool both_at_most(Pair pair, std::int64_t most) { return pair.height <= most && pair.width <= most; }

}  // namespace

std::string Pair::str() const { return text("(", height, ", ", width, ")"); }

void check_window(const char* op, const Window& window) {
  const auto at_least = [op](const char* what, Pair size, std::int64_t least) {
    if (size.height < least || size.width < least)
      throw Error(text(op, ": ", what, " ", size.str(), "; must be at least ", least));
  };
  at_least("kernel_size", window.kernel, 1);
  at_least("stride", window.stride, 1);
  at_least("dilation", window.dilation, 1);
  at_least("padding", window.padding, 0);
  // So that no sum or product of them can leave int64.
  for (const Pair pair : {window.kernel, window.stride, window.dilation, window.padding})
    if (!both_at_most(pair, INT32_MAX))
      throw Error(
          text(op, ": ", pair.str(), " is too large for a kernel, stride, dilation or padding"));
}

void check_window(const char* op, const Tensor& x, const Window& window) {
  if (x.dim() != 4) throw Error(text(op, ": the input must be (N, C, H, W), not ", x.shape().str()));
  check_window(op, window);
}

Tensor windows_of(const char* op, const Tensor& padded, const Window& window) {
  const auto [kernel, stride, padding, dilation] = window;
  if (padded.size(2) < dilation.height * (kernel.height - 1) + 1 ||
      padded.size(3) < dilation.width * (kernel.width - 1) + 1)
    throw Error(text(op, ": kernel ", kernel.str(), " with dilation ", dilation.str(),
                     " is larger than the padded input ", padded.shape().str()));
  const Tensor rows = unfold_dim(padded, 2, kernel.height, stride.height, dilation.height);
  return unfold_dim(rows, 3, kernel.width, stride.width, dilation.width);
}

}  // namespace torchlight::nn
