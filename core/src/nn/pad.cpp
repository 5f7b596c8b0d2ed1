#include <torchlight/nn/functional/pad.h>

#include <algorithm>

#include <torchlight/autograd.h>
#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::nn::functional {
namespace {

/// How much is added on the two sides of one dim.
struct Sides {
  int dim;
  std::int64_t before, after;
};

std::vector<Sides> sides_of(const Tensor& x, const std::vector<std::int64_t>& padding) {
  const int count = static_cast<int>(std::min<std::size_t>(padding.size(), 2 * Shape::max_rank + 1));
  if (count % 2 != 0 || count / 2 > x.dim())
    throw Error(text("pad: ", padding.size(),
                     " numbers; there must be two for each dim, at most for all ", x.dim(), " of ",
                     x.shape().str()));
  for (const std::int64_t size : padding)  // so that no sum of them can leave int64
    if (size > INT32_MAX || size < -INT32_MAX)
      throw Error(text("pad: ", size, " is too large for a padding"));
  std::vector<Sides> sides;
  for (int i = 0; i < count; i += 2)
    if (padding[static_cast<std::size_t>(i)] != 0 || padding[static_cast<std::size_t>(i) + 1] != 0)
      sides.push_back({x.shape().rank() - 1 - i / 2, padding[static_cast<std::size_t>(i)],
                       padding[static_cast<std::size_t>(i) + 1]});
  return sides;
}

Shape padded_shape(const Tensor& x, const std::vector<Sides>& sides) {
  Shape shape = x.shape();
  for (const auto& [dim, before, after] : sides) {
    shape[dim] += before + after;
    if (shape[dim] < 0)
      throw Error(text("pad: (", before, ", ", after, ") cuts more than there is of dim ", dim, " of ",
                       x.shape().str()));
  }
  return shape;
}

/// The part of a padded tensor where x lies, or, `cut`, the part of x that stays.
Tensor middle(const Tensor& tensor, const std::vector<Sides>& sides, bool cut) {
  Tensor part = tensor;
  for (const auto& [dim, before, after] : sides) {
    const std::int64_t first = std::max<std::int64_t>(cut ? -before : before, 0);
    const std::int64_t rest = std::max<std::int64_t>(cut ? -after : after, 0);
    part = part.slice(dim, first, std::max(first, part.size(dim) - rest));
  }
  return part;
}

Tensor constant_pad(const Tensor& x, const std::vector<Sides>& sides, double value) {
  const Shape shape = padded_shape(x, sides);
  const Tensor kept = middle(x, sides, true);
  const auto forward = [=](FunctionContext&, const std::vector<Tensor>& in) {
    const Tensor padded = full(shape, value, {.dtype = in[0].dtype(), .device = in[0].device()});
    if (in[0].numel() > 0) middle(padded, sides, false).copy_(in[0]);
    return padded;
  };
  const auto backward = [=](FunctionContext&, const Tensor& gradient) {
    return std::vector{middle(gradient, sides, false)};
  };
  return custom_function("pad", {kept}, forward, backward);
}

/// Which element of a dim of this size stands at place i, counted from its first one.
std::int64_t source_of(std::int64_t i, std::int64_t size, PadMode mode) {
  if (mode == PadMode::replicate) return std::clamp<std::int64_t>(i, 0, size - 1);
  if (mode == PadMode::circular) return (i + size) % size;
  const std::int64_t from_start = i < 0 ? -i : i;
  return from_start < size ? from_start : 2 * (size - 1) - from_start;
}

Tensor pad_dim(const Tensor& x, const Sides& sides, PadMode mode) {
  const std::int64_t size = x.size(sides.dim);
  const std::int64_t most = mode == PadMode::reflect    ? size - 1
                            : mode == PadMode::circular ? size
                            : size > 0                  ? INT64_MAX
                                                        : 0;
  if (std::min(sides.before, sides.after) < 0 || std::max(sides.before, sides.after) > most)
    throw Error(text("pad: (", sides.before, ", ", sides.after, ") doesn't suit dim ", sides.dim,
                     " of ", x.shape().str(), " in this mode; allowed are 0 … ",
                     mode == PadMode::replicate ? "any" : std::to_string(most)));
  std::vector<std::int64_t> places;
  for (std::int64_t i = -sides.before; i < size + sides.after; ++i)
    places.push_back(source_of(i, size, mode));
  return x.index_select(sides.dim, tensor(places, {.device = x.device()}));
}

}  // namespace

Tensor pad(const Tensor& x, const std::vector<std::int64_t>& padding, PadMode mode, double value) {
  const std::vector<Sides> sides = sides_of(x, padding);
  if (sides.empty()) return x;
  if (mode == PadMode::constant) return constant_pad(x, sides, value);
  Tensor y = x;
  for (const Sides& each : sides) y = pad_dim(y, each, mode);
  return y;
}

Tensor pad2d(const Tensor& x, Pair padding, double value) {
  if (x.dim() < 2 || padding.height < 0 || padding.width < 0)
    throw Error(text("pad2d: can't pad ", x.shape().str(), " by (", padding.height, ", ", padding.width,
                     "); it takes at least two dims and nothing negative"));
  return pad(x, {padding.width, padding.width, padding.height, padding.height}, PadMode::constant,
             value);
}

}  // namespace torchlight::nn::functional
