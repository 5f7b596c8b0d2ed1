#include "array/array.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "dispatch/observer.h"
#include "support/text.h"

namespace torchlight {

bool Array::is_contiguous() const {
  std::int64_t expected = 1;
  for (int d = rank() - 1; d >= 0; --d) {
    if (shape_[d] == 0) return true;
    if (shape_[d] != 1 && strides_[d] != expected) return false;
    expected *= shape_[d];
  }
  return true;
}

bool Array::is_expanded() const {
  for (int d = 0; d < rank(); ++d)
    if (shape_[d] > 1 && strides_[d] == 0) return true;
  // Overlap without a zero stride (unfold): sort by stride and see whether each dim steps over the ones
  // inside it. Conservative: an exotic layout that doesn't nest counts as overlapping.
  std::array<int, Shape::max_rank> order{};
  int used = 0;
  for (int d = 0; d < rank(); ++d) {
    if (shape_[d] == 0) return false;
    if (shape_[d] == 1) continue;
    int at = used++;
    for (; at > 0 && std::abs(strides_[order[at - 1]]) > std::abs(strides_[d]); --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  std::int64_t reach = 0;
  for (int i = 0; i < used; ++i) {
    const std::int64_t stride = std::abs(strides_[order[i]]);
    if (stride <= reach) return true;
    reach += stride * (shape_[order[i]] - 1);
  }
  return false;
}

namespace {
/// Apart, so that a view that nobody observes saves no registers for it.
[[gnu::noinline, gnu::cold]] void tell_observers(Storage& storage) {
  dispatch::tell([&](dispatch::Observer& observer) { observer.met(storage); });
}
}  // namespace

tl_view Array::view(const Shape& shape, const Strides& strides) const {
  tl_view v;  // extents and strides beyond the rank stay unset: the ABI says they are undefined
  v.size = sizeof(tl_view);
  v.flags = 0;
  v.dtype = abi_dtype(dtype_);
  v.rank = static_cast<std::uint32_t>(shape.rank());
  const tl_memory& memory = storage_->memory();
  v.base = memory.base;
  v.block = memory.block;
  v.byte_offset = memory.byte_offset + static_cast<std::uint64_t>(offset_ * size_of(dtype_));
  for (int d = 0; d < shape.rank(); ++d) {
    v.extent[d] = shape[d];
    v.stride[d] = strides[d];
  }
  if (dispatch::is_observed()) [[unlikely]]
    tell_observers(*storage_);
  return v;
}

tl_dtype abi_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32: return {TL_FLOAT, 32, 1};
    case Dtype::float64: return {TL_FLOAT, 64, 1};
    case Dtype::int64: return {TL_INT, 64, 1};
    case Dtype::boolean: return {TL_BOOL, 8, 1};
    case Dtype::uint8: return {TL_UINT, 8, 1};
    case Dtype::int32: return {TL_INT, 32, 1};
    case Dtype::float16: return {TL_FLOAT, 16, 1};
    case Dtype::bfloat16: return {TL_BFLOAT, 16, 1};
  }
  return {};
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides = Shape::filled(shape.rank(), 1);
  std::uint64_t step = 1;  // may wrap where there are no elements, and then means nothing
  for (int d = shape.rank() - 1; d > 0; --d) {
    if (shape[d] > 1) step *= static_cast<std::uint64_t>(shape[d]);
    strides[d - 1] = static_cast<std::int64_t>(step);
  }
  return strides;
}

int normalize_dim(const char* operation, std::int64_t dim, int rank) {
  if (dim >= -rank && dim < rank) return static_cast<int>(dim < 0 ? dim + rank : dim);
  throw Error(rank == 0 ? text(operation, ": dim ", dim, " given, but the tensor has no dims")
                        : text(operation, ": dim ", dim, " is out of range; a tensor of ", rank,
                               " dims has dims ", -rank, " to ", rank - 1));
}

MemoryRange memory_range(const Array& x) {
  const tl_memory& memory = x.storage().memory();
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(memory.base) + memory.byte_offset;
  if (x.numel() == 0) return {memory.block, first, first};
  std::int64_t low = 0, high = 1;
  for (int d = 0; d < x.rank(); ++d)
    (x.strides()[d] < 0 ? low : high) += (x.shape()[d] - 1) * x.strides()[d];
  const std::int64_t size = size_of(x.dtype());
  const auto at = [&](std::int64_t element) {
    return first + static_cast<std::uintptr_t>((x.offset() + element) * size);
  };
  return {memory.block, at(low), at(high)};
}

std::uint32_t dims_mask(const char* operation, const Dims& dims, int rank) {
  if (dims.empty()) return (1u << rank) - 1;
  std::uint32_t mask = 0;
  for (std::int64_t dim : dims) {
    // A number may be reduced over dim 0, as in PyTorch, although it has none.
    const std::uint32_t bit = 1u << normalize_dim(operation, dim, rank == 0 ? 1 : rank);
    if (mask & bit) throw Error(text(operation, ": dim ", dim, " is given twice in dims ", dims.str()));
    mask |= bit;
  }
  return rank == 0 ? 0 : mask;
}

Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keepdim) {
  Shape reduced;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!(mask >> d & 1))
      reduced.push_back(shape[d]);
    else if (keepdim)
      reduced.push_back(1);
  }
  return reduced;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape shape = Shape::filled(rank, 1);
  for (int i = 1; i <= rank; ++i) {
    const std::int64_t x = i <= a.rank() ? a[a.rank() - i] : 1;
    const std::int64_t y = i <= b.rank() ? b[b.rank() - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw Error(text("shapes ", a.str(), " and ", b.str(), " don't broadcast: ", x, " against ", y,
                       " in dim ", -i, "; sizes must be equal or 1"));
    shape[rank - i] = x == 1 ? y : x;
  }
  return shape;
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& shape) {
  Strides result = Shape::filled(shape.rank(), 0);
  const int skip = shape.rank() - from.rank();
  for (int d = 0; d < from.rank(); ++d)
    if (from[d] == shape[d + skip]) result[d + skip] = strides[d];
  return result;
}

Dtype scalar_dtype(Dtype dtype, double scalar) {
  if (is_floating(dtype)) return dtype;
  if (scalar != std::floor(scalar) || std::abs(scalar) > 9.0e18) return float32;
  return dtype == boolean && scalar != 0 && scalar != 1 ? int64 : dtype;
}

void require_in_range(const char* operation, double value, Dtype dtype) {
  const auto is_in = [&](double low, double end) {
    return std::trunc(value) >= low && std::trunc(value) < end;
  };
  const bool fits = dtype == int64   ? is_in(-0x1p63, 0x1p63)
                    : dtype == int32 ? is_in(-0x1p31, 0x1p31)
                    : dtype == uint8 ? is_in(0, 256)
                                     : true;
  if (!fits) throw Error(text(operation, ": ", name_of(dtype), " can't hold ", value));
}

void require_value_of(const char* operation, double value, Dtype dtype) {
  require_in_range(operation, value, dtype);
  if (dtype == boolean || !std::isfinite(value)) return;
  // The smallest number that is rounded to infinity.
  const double overflow = dtype == float32    ? 0x1.ffffffp127
                          : dtype == float16  ? 65520
                          : dtype == bfloat16 ? 0x1.ffp127
                                              : std::numeric_limits<double>::infinity();
  const bool fits = is_floating(dtype) ? std::abs(value) < overflow : value == std::trunc(value);
  if (!fits)
    throw Error(text(operation, ": ", name_of(dtype), " can't hold ", value,
                     is_floating(dtype) ? "" : "; round it first"));
}

void require_extents(const char* operation, const Shape& shape) {
  for (const std::int64_t extent : shape)
    if (extent < 0)
      throw Error(text(operation, ": shape ", shape.str(), " has the negative extent ", extent));
}

void require_same_device(const char* operation, const Array& a, const Array& b) {
  if (&a.device() == &b.device()) return;
  throw DeviceError(text(operation, ": one tensor is on ", a.device().name(), ", another on ",
                         b.device().name(), "; move one with to(device)"));
}

void require_gradient_of(const char* operation, const Array& of, const Array& gradient) {
  if (!(gradient.shape() == of.shape()))
    throw Error(text(operation, ": a gradient of shape ", gradient.shape().str(),
                     " for a tensor of shape ", of.shape().str()));
  if (gradient.dtype() != of.dtype())
    throw Error(text(operation, ": a gradient of ", name_of(gradient.dtype()), " for a tensor of ",
                     name_of(of.dtype()), "; convert it with to(", name_of(of.dtype()), ")"));
  require_same_device(operation, of, gradient);
}

}  // namespace torchlight
