#include <torchlight/ops.h>

#include <cmath>
#include <limits>

#include "array/operations.h"
#include "support/text.h"
#include "tensor/impl.h"

namespace torchlight {
namespace {

OpenDevice& device_of(const Options& options) {
  return options.device ? options.device->handle() : Device().handle();
}

Tensor finish(Array array, const Options& options) {
  Tensor tensor = make_tensor(std::move(array));
  if (options.requires_grad) tensor.requires_grad_();
  return tensor;
}

/// The options of a factory that copies its shape, dtype and device from a tensor.
Options like_options(const Tensor& like, Options options) {
  if (!options.dtype) options.dtype = like.dtype();
  if (!options.device) options.device = like.device();
  return options;
}

/// What a nested list holds: its shape, its common type, and its values in row-major order.
struct Flattened {
  Shape shape;
  Dtype dtype = boolean;
  std::vector<double> values;
  std::vector<std::int64_t> integers;
};

/// bool < int64 < float32 < float64
int order(Dtype dtype) { return dtype == boolean ? 0 : dtype == int64 ? 1 : dtype == float32 ? 2 : 3; }

Shape shape_of(const NestedList& list) {
  Shape shape;
  for (const NestedList* at = &list; at->is_list(); at = &at->items()[0]) {
    shape.push_back(static_cast<std::int64_t>(at->items().size()));
    if (at->items().empty()) break;
  }
  return shape;
}

void flatten(const NestedList& list, const Shape& shape, int depth, Flattened& out) {
  if (!list.is_list()) {
    if (depth != shape.rank())
      throw Error(
          text("tensor: ragged list: a number stands where a list of ", shape[depth], " was expected"));
    if (order(list.kind()) > order(out.dtype)) out.dtype = list.kind();
    out.values.push_back(list.value());
    out.integers.push_back(list.integer());
    return;
  }
  if (depth >= shape.rank())
    throw Error("tensor: ragged list: a list stands where a number was expected");
  if (static_cast<std::int64_t>(list.items().size()) != shape[depth])
    throw Error(text("tensor: ragged list: rows of ", shape[depth], " and of ", list.items().size(),
                     " values at depth ", depth, "; all must be equally long"));
  for (const NestedList& item : list.items()) flatten(item, shape, depth + 1, out);
}

/// Values that are in host memory in one dtype, as a tensor of the dtype asked for.
Tensor from_values(const void* values, const Shape& shape, Dtype dtype, const Options& options) {
  const Array array = from_host(values, shape, dtype, device_of(options));
  return finish(cast(array, options.dtype.value_or(dtype)), options);
}

}  // namespace

Tensor tensor(const NestedList& list, const Options& options) {
  Flattened flat;
  flat.shape = shape_of(list);
  flatten(list, flat.shape, 0, flat);
  if (flat.values.empty())
    return from_values(nullptr, flat.shape, options.dtype.value_or(float32), options);
  if (flat.dtype == int64 || flat.dtype == boolean) {  // integers beyond 2^53 don't fit into a double
    Options typed = options;
    if (!typed.dtype) typed.dtype = flat.dtype;
    if (*typed.dtype != int64)  // a double doesn't hold each of them, but knows on which side it is
      for (const double value : flat.values) require_in_range("tensor", value, *typed.dtype);
    return from_values(flat.integers.data(), flat.shape, int64, typed);
  }
  Options typed = options;
  if (!typed.dtype) typed.dtype = float32;
  for (const double value : flat.values) require_in_range("tensor", value, *typed.dtype);
  return from_values(flat.values.data(), flat.shape, float64, typed);
}

Tensor tensor(std::initializer_list<NestedList> values, const Options& options) {
  return tensor(NestedList(values), options);
}

template <class T> Tensor tensor(std::span<const T> values, const Options& options) {
  if (options.dtype && *options.dtype != dtype_of<T> && !is_floating(*options.dtype))
    for (const T value : values) require_in_range("tensor", static_cast<double>(value), *options.dtype);
  return from_values(values.data(), static_cast<std::int64_t>(values.size()), dtype_of<T>, options);
}

template <class T> Tensor tensor(const std::vector<T>& values, const Options& options) {
  return tensor(std::span<const T>(values), options);
}

// An explicit instantiation doesn't inherit the header's visibility.
#define TORCHLIGHT_TENSOR_OF(T)                                                                      \
  template __attribute__((visibility("default"))) Tensor tensor(std::span<const T>, const Options&); \
  template __attribute__((visibility("default"))) Tensor tensor(const std::vector<T>&, const Options&);
TORCHLIGHT_TENSOR_OF(float)
TORCHLIGHT_TENSOR_OF(double)
TORCHLIGHT_TENSOR_OF(std::int64_t)
TORCHLIGHT_TENSOR_OF(std::int32_t)
TORCHLIGHT_TENSOR_OF(std::uint8_t)
#undef TORCHLIGHT_TENSOR_OF

Tensor tensor(const std::vector<bool>& values, const Options& options) {
  const std::vector<std::uint8_t> bytes(values.begin(), values.end());
  return from_values(bytes.data(), static_cast<std::int64_t>(bytes.size()), boolean, options);
}

// ---- of one value

namespace {

Tensor filled(const char* operation, const Shape& shape, double value, const Options& options) {
  const Dtype dtype = options.dtype.value_or(float32);
  require_extents(operation, shape);
  require_value_of(operation, value, dtype);
  return finish(full(shape, value, dtype, device_of(options)), options);
}

}  // namespace

Tensor empty(const Shape& shape, const Options& options) {
  require_extents("empty", shape);
  return finish(empty(shape, options.dtype.value_or(float32), device_of(options)), options);
}
Tensor full(const Shape& shape, double value, const Options& options) {
  return filled("full", shape, value, options);
}
Tensor zeros(const Shape& shape, const Options& options) { return filled("zeros", shape, 0, options); }
Tensor ones(const Shape& shape, const Options& options) { return filled("ones", shape, 1, options); }

Tensor empty_like(const Tensor& like, const Options& options) {
  return empty(like.shape(), like_options(like, options));
}
Tensor full_like(const Tensor& like, double value, const Options& options) {
  return full(like.shape(), value, like_options(like, options));
}
Tensor zeros_like(const Tensor& like, const Options& options) { return full_like(like, 0, options); }
Tensor ones_like(const Tensor& like, const Options& options) { return full_like(like, 1, options); }

// ---- sequences

Tensor arange(double end, const Options& options) { return arange(0, end, 1, options); }

Tensor arange(double start, double end, double step, const Options& options) {
  if (step == 0 || !std::isfinite(start) || !std::isfinite(end) || !std::isfinite(step))
    throw Error(text("arange: start ", start, ", end ", end, " and step ", step,
                     " must be finite, and the step not 0"));
  const double count = std::ceil((end - start) / step);
  if (count > 9e18) throw Error(text("arange: ", count, " values are more than int64 can count"));
  const auto whole = [](double v) { return v == std::floor(v); };
  const Dtype natural = whole(start) && whole(end) && whole(step) ? int64 : float32;
  const auto n = static_cast<std::int64_t>(count > 0 ? count : 0);
  const Dtype dtype = options.dtype.value_or(natural);
  if (n > 0) {
    require_in_range("arange", start, dtype);
    require_in_range("arange", start + static_cast<double>(n - 1) * step, dtype);
  }
  return finish(arange(n, start, step, dtype, device_of(options)), options);
}

Tensor linspace(double start, double end, std::int64_t steps, const Options& options) {
  if (steps < 0) throw Error(text("linspace: ", steps, " steps; must be at least 0"));
  if (!std::isfinite(start) || !std::isfinite(end))
    throw Error(text("linspace: start ", start, " and end ", end, " must be finite"));
  const Dtype dtype = options.dtype.value_or(float32);
  for (const double value : {start, end}) require_in_range("linspace", value, dtype);
  // The whole way may be longer than the largest number; half of it isn't.
  const double scale = std::isfinite(end - start) ? 1 : 2;
  const double step = steps > 1 ? (end / scale - start / scale) / static_cast<double>(steps - 1) : 0;
  Array exact = arange(steps, start / scale, step, float64, device_of(options));
  if (scale != 1) exact = exact * scale;
  if (steps > 1) fill(exact.window({1}, {1}, steps - 1), end);  // the end itself, not its rounding
  return finish(cast(exact, dtype), options);
}

Tensor eye(std::int64_t n, std::optional<std::int64_t> m, const Options& options) {
  require_extents("eye", {n, m.value_or(n)});
  return finish(eye(n, m.value_or(n), options.dtype.value_or(float32), device_of(options)), options);
}

// ---- of the user's memory

Tensor from_blob(void* data, const Shape& shape, Dtype dtype, const Strides& strides,
                 std::function<void()> release, const Options& options) {
  OpenDevice& device = device_of(options);
  if (!device.is_host())
    throw DeviceError(
        text("from_blob: ", device.name(), " can't use host memory; copy with tensor() or to()"));
  if (!strides.empty() && strides.rank() != shape.rank())
    throw Error(text("from_blob: strides ", strides.str(), " for shape ", shape.str(),
                     "; give one for each dim"));
  const Strides layout = strides.empty() ? contiguous_strides(shape) : strides;
  std::int64_t low = 0, high = 0, span = 0;
  const std::int64_t count = shape.numel();
  bool too_far = false;
  for (int d = 0; count > 0 && d < shape.rank(); ++d) {
    std::int64_t way = 0;
    std::int64_t& end = layout[d] < 0 ? low : high;
    too_far |=
        __builtin_mul_overflow(shape[d] - 1, layout[d], &way) || __builtin_add_overflow(end, way, &end);
  }
  if (too_far || __builtin_sub_overflow(high, low, &span) ||
      span >= std::numeric_limits<std::int64_t>::max() / size_of(dtype))
    throw Error(text("from_blob: strides ", layout.str(), " for shape ", shape.str(),
                     " reach beyond any memory"));
  if (count > 0 && data == nullptr) throw Error(text("from_blob: no data for shape ", shape.str()));
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(dtype)) != 0)
    throw Error(text("from_blob: the data doesn't lie at a multiple of ", size_of(dtype), " bytes, as ",
                     name_of(dtype), " must"));
  const std::size_t bytes = static_cast<std::size_t>(count == 0 ? 0 : (span + 1) * size_of(dtype));
  void* first = data ? static_cast<char*>(data) + low * size_of(dtype) : nullptr;
  return finish(Array(Storage::borrow(device, first, bytes, std::move(release)), device, shape, layout,
                      -low, dtype),
                options);
}

}  // namespace torchlight
