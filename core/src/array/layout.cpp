#include <algorithm>

#include "array/operations.h"
#include "support/text.h"

namespace torchlight {

Shape infer_shape(const char* operation, const Shape& from, const Shape& to) {
  int unknown = -1;
  std::int64_t known = 1;
  for (int d = 0; d < to.rank(); ++d) {
    if (to[d] == -1) {
      if (unknown >= 0) throw Error(text(operation, ": only one size may be -1, got ", to.str()));
      unknown = d;
    } else if (to[d] < 0) {
      throw Error(text(operation, ": size ", to[d], " in shape ", to.str(), " is negative"));
    } else if (__builtin_mul_overflow(known, to[d], &known)) {
      throw Error(text(operation, ": shape ", to.str(), " has more elements than int64 can count"));
    }
  }
  const std::int64_t count = from.numel();
  Shape shape = to;
  if (unknown >= 0) {
    if (known == 0)
      throw Error(text(operation, ": the size -1 in ", to.str(),
                       " can't be told: any size gives 0 elements; write it out"));
    if (count % known == 0) shape[unknown] = count / known;
  }
  if (unknown >= 0 ? shape[unknown] < 0 : known != count)
    throw Error(text(operation, ": shape ", from.str(), " has ", count, " elements, which don't fit ",
                     to.str()));
  return shape;
}

Array try_view(const Array& x, const Shape& shape) {
  // Nothing can be laid out in any way.
  if (x.is_contiguous() || x.numel() == 0)
    return x.window(shape, contiguous_strides(shape), x.offset());
  // From the end, dims that step evenly join into runs; each run must be cut into whole new dims.
  struct Run {
    std::int64_t size, step;
  };
  std::array<Run, Shape::max_rank> runs;
  int count = 0;
  for (int d = x.rank() - 1; d >= 0; --d) {
    if (x.shape()[d] == 1) continue;
    if (count > 0 && x.strides()[d] == runs[count - 1].size * runs[count - 1].step)
      runs[count - 1].size *= x.shape()[d];
    else
      runs[count++] = {x.shape()[d], x.strides()[d]};
  }
  Strides strides = Shape::filled(shape.rank(), 1);
  int at = shape.rank() - 1;
  for (int r = 0; r < count; ++r) {
    std::int64_t covered = 1;
    while (at >= 0 && covered < runs[r].size) {
      strides[at] = covered * runs[r].step;
      covered *= shape[at--];
    }
    if (covered != runs[r].size) return {};
  }
  return x.window(shape, strides, x.offset());
}

Array reshape(const Array& x, const Shape& shape) {
  const Shape target = infer_shape("reshape", x.shape(), shape);
  const Array view = try_view(x, target);
  return view.defined() ? view : try_view(copy(x, x.dtype()), target);
}

Array permute(const Array& x, const Dims& dims) {
  if (dims.rank() != x.rank())
    throw Error(text("permute: dims ", dims.str(), " must name each of the ", x.rank(),
                     " dims of shape ", x.shape().str(), " once"));
  dims_mask("permute", dims, x.rank());
  Shape shape = Shape::filled(x.rank(), 0), strides = shape;
  for (int d = 0; d < x.rank(); ++d) {
    const int from = normalize_dim("permute", dims[d], x.rank());
    shape[d] = x.shape()[from];
    strides[d] = x.strides()[from];
  }
  return x.window(shape, strides, x.offset());
}

Array transpose(const Array& x, std::int64_t dim0, std::int64_t dim1) {
  const int a = normalize_dim("transpose", dim0, x.rank()),
            b = normalize_dim("transpose", dim1, x.rank());
  Shape shape = x.shape(), strides = x.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return x.window(shape, strides, x.offset());
}

Array expand(const Array& x, const Shape& shape) {
  const int extra = shape.rank() - x.rank();
  Shape target = shape;
  for (int d = 0; d < shape.rank(); ++d) {
    const std::int64_t had = d >= extra ? x.shape()[d - extra] : -1;
    if (shape[d] == -1 && had >= 0) target[d] = had;
    const bool fits = extra >= 0 && target[d] >= 0 && (d < extra || had == target[d] || had == 1);
    if (!fits)
      throw Error(text("expand: shape ", x.shape().str(), " doesn't stretch to ", shape.str(),
                       "; only sizes of 1 and new leading dims can"));
  }
  target.numel();  // raises where it can't be counted
  return x.window(target, broadcast_strides(x.shape(), x.strides(), target), x.offset());
}

Window slice_window(const Shape& shape, const Strides& strides, std::int64_t dim,
                    std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                    std::int64_t step) {
  const int d = normalize_dim("slice", dim, shape.rank());
  if (step == 0) throw Error("slice: the step is 0; it must be positive or negative");
  const std::int64_t size = shape[d], farthest = std::max<std::int64_t>(size, 1);
  step = std::clamp(step, -farthest, farthest);  // longer ones lead out of the dim as well
  // As Python's slices: bounds from the end, clipped to what is there.
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto bound = [&](std::optional<std::int64_t> value, std::int64_t missing) {
    if (!value) return missing;
    return std::clamp(*value < 0 ? *value + size : *value, low, high);
  };
  const std::int64_t first = bound(start, step > 0 ? low : high),
                     last = bound(end, step > 0 ? high : low);
  const std::int64_t distance = step > 0 ? last - first : first - last;
  const std::int64_t stride = step > 0 ? step : -step;
  Window w{shape, strides, 0};
  w.shape[d] = distance > 0 ? (distance - 1) / stride + 1 : 0;
  w.strides[d] = strides[d] * step;
  if (w.shape[d] > 0) w.offset = first * strides[d];
  return w;
}

Array window(const Array& x, const Window& w) {
  const Array dense = contiguous(x);
  return dense.window(w.shape, w.strides, dense.offset() + w.offset);
}

Array replace_window(const Array& x, const Array& values, const Window& w) {
  const Array result = copy(x, x.dtype());
  copy_into(values, window(result, w));
  return result;
}

Array unfold(const Array& x, std::int64_t dim, std::int64_t size, std::int64_t step) {
  const int d = normalize_dim("unfold", dim, x.rank());
  if (size < 0 || size > x.shape()[d] || step < 1)
    throw Error(text("unfold: windows of size ", size, " and step ", step, " don't fit dim ", d,
                     " of shape ", x.shape().str(), "; size must be 0 to ", x.shape()[d],
                     " and step at least 1"));
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape[d] = (x.shape()[d] - size) / step + 1;
  strides[d] *=
      std::min(step, std::max<std::int64_t>(x.shape()[d], 1));  // of a longer one there is one window
  shape.push_back(size);
  strides.push_back(x.strides()[d]);
  return x.window(shape, strides, x.offset());
}

Array fold(const Array& x, std::int64_t dim, std::int64_t length, std::int64_t step) {
  const int d = normalize_dim("fold", dim, x.rank() - 1);
  const int last = x.rank() - 1;
  Shape shape = x.shape();
  shape.erase(last);
  shape[d] = length;
  const Array result = full(shape, 0, x.dtype(), x.device());
  const std::int64_t windows = x.shape()[d], size = x.shape()[last];
  if (windows == 0) return result;
  Shape part = x.shape(), from_strides = x.strides();
  part.erase(last);
  from_strides.erase(last);
  Strides to_strides = result.strides();
  if (windows > 1) to_strides[d] *= step;
  for (std::int64_t k = 0; k < size; ++k) {  // one strided addition for each place inside the window
    const Array target = result.window(part, to_strides, k * result.strides()[d]);
    const Array source = x.window(part, from_strides, x.offset() + k * x.strides()[last]);
    const Array* inputs[] = {&target, &source};
    zip_into(TL_ZIP_add, inputs, target);
  }
  return result;
}

Array cat(std::span<const Array> arrays, std::int64_t dim) {
  if (arrays.empty()) throw Error("cat: the list of tensors is empty");
  const Array& first = arrays[0];
  const int d = normalize_dim("cat", dim, first.rank());
  Shape shape = first.shape();
  Dtype dtype = first.dtype();
  for (const Array& x : arrays.subspan(1)) {
    require_same_device("cat", first, x);
    bool fits = x.rank() == first.rank();
    for (int i = 0; fits && i < x.rank(); ++i) fits = i == d || x.shape()[i] == shape[i];
    if (!fits)
      throw Error(text("cat: shapes ", first.shape().str(), " and ", x.shape().str(),
                       " must agree in every dim but dim ", d));
    shape[d] += x.shape()[d];
    if (x.dtype() != dtype) dtype = promote("cat", dtype, x.dtype());
  }
  Array out = empty(shape, dtype, first.device());
  std::int64_t at = 0;
  for (const Array& x : arrays) {
    copy_into(x, out.window(x.shape(), out.strides(), at * out.strides()[d]));
    at += x.shape()[d];
  }
  return out;
}

}  // namespace torchlight
