#include <cstring>
#include <limits>

#include "array/operations.h"
#include "dispatch/memory.h"
#include "dispatch/run.h"
#include "loader/registry.h"
#include "support/text.h"

namespace torchlight {
namespace {

std::size_t bytes_of(const Shape& shape, Dtype dtype) {
  const std::int64_t n = shape.numel();  // raises on overflow and negative extents
  if (n > std::numeric_limits<std::int64_t>::max() / size_of(dtype))
    throw Error(text("a tensor of shape ", shape.str(), " and dtype ", name_of(dtype),
                     " has more bytes than int64 can count"));
  return static_cast<std::size_t>(n * size_of(dtype));
}

Array create(Fn fn, const Shape& shape, Dtype dtype, OpenDevice& device, const Params& params) {
  // Storage-only dtypes are made by conversion.
  const bool computes = dtype == float32 || dtype == float64 || dtype == int64 || dtype == boolean;
  if (!computes)
    return copy(create(fn, shape, is_floating(dtype) ? float32 : int64, device, params), dtype);
  Array out = empty(shape, dtype, device);
  if (out.numel() == 0) return out;
  const tl_view view = out.view();
  tl_map_args args{{sizeof(tl_map_args), 0, nullptr}, fn, map_params(fn), nullptr, &view, {}};
  std::copy(params.begin(), params.end(), args.params);
  dispatch::run(device, {dispatch::Primitive::map, map_name(fn), &args.head});
  return out;
}

}  // namespace

Array empty(const Shape& shape, Dtype dtype, OpenDevice& device) {
  return Array(Storage::allocate(device, bytes_of(shape, dtype)), device, shape,
               contiguous_strides(shape), 0, dtype);
}

Array full(const Shape& shape, double value, Dtype dtype, OpenDevice& device) {
  return create(TL_MAP_fill, shape, dtype, device, {value});
}

Array arange(const Shape& shape, double start, double step, Dtype dtype, OpenDevice& device) {
  return create(TL_MAP_arange, shape, dtype, device, {start, step});
}

Array eye(std::int64_t rows, std::int64_t columns, Dtype dtype, OpenDevice& device) {
  return create(TL_MAP_eye, {rows, columns}, dtype, device, {0});
}

Array from_host(const void* values, const Shape& shape, Dtype dtype, OpenDevice& device) {
  Array out = empty(shape, dtype, device);
  dispatch::copy_in(device, out.storage().memory(), values, out.storage().bytes());
  return out;
}

void to_host(const Array& x, void* values) {
  const Array dense = contiguous(x);
  tl_memory place = dense.storage().memory();
  place.byte_offset += static_cast<std::uint64_t>(dense.offset() * size_of(dense.dtype()));
  dispatch::copy_out(dense.device(), values, place, bytes_of(dense.shape(), dense.dtype()));
}

Array to(const Array& x, OpenDevice& device) {
  if (&x.device() == &device) return x;
  if (x.device().is_host() && device.is_host()) return x.on(device);
  const Array dense = contiguous(x);
  tl_memory source = dense.storage().memory();
  source.byte_offset += static_cast<std::uint64_t>(dense.offset() * size_of(x.dtype()));
  const std::size_t bytes = bytes_of(x.shape(), x.dtype());
  Array moved = empty(x.shape(), x.dtype(), device);
  if (device.is_host()) {
    dispatch::copy_out(x.device(), moved.host_data(), source, bytes);
  } else if (x.device().is_host()) {
    dispatch::copy_in(device, moved.storage().memory(), dense.host_data(), bytes);
  } else {  // from one device's memory to another's there is no way but through the host's
    return to(to(x, loader::cpu()), device);
  }
  return moved;
}

}  // namespace torchlight
