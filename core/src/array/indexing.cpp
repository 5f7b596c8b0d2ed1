#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"

namespace torchlight {
namespace {

void run_index(dispatch::Primitive primitive, const char* operation, const Array& source,
               const Array& index, const Array& out, int axis) {
  const tl_view from = source.view(), at = index.view(), to = out.view();
  tl_index_args args{
      {sizeof(tl_index_args), 0, nullptr}, static_cast<std::uint32_t>(axis), 0, &from, &at, &to};
  dispatch::run(out.device(), {primitive, operation, &args.head});
}

void require_int64(const char* operation, const Array& index) {
  if (index.dtype() != int64)
    throw Error(text(operation, ": the index must be int64, it is ", name_of(index.dtype()),
                     "; convert with to(int64)"));
}

void require_index(const char* operation, const Array& x, const Array& index) {
  require_same_device(operation, x, index);
  require_int64(operation, index);
}

/// Every dim but the axis of the smaller shape must fit into the larger one.
void require_fit(const char* operation, const Shape& index, const Shape& data, int axis) {
  bool fits = index.rank() == data.rank();
  for (int d = 0; fits && d < data.rank(); ++d) fits = d == axis || index[d] == data[d];
  if (!fits)
    throw Error(text(operation, ": index of shape ", index.str(), " and tensor of shape ", data.str(),
                     " must agree in every dim but dim ", axis));
}

}  // namespace

Array gather(const Array& x, std::int64_t dim, const Array& index) {
  require_index("gather", x, index);
  const int axis = normalize_dim("gather", dim, x.rank());
  require_fit("gather", index.shape(), x.shape(), axis);
  Array out = empty(index.shape(), x.dtype(), x.device());
  if (out.numel() > 0) run_index(dispatch::Primitive::gather, "gather", x, index, out, axis);
  return out;
}

Array scatter_add(const Array& x, std::int64_t dim, const Array& index, const Array& source) {
  require_index("scatter_add", x, index);
  require_same_device("scatter_add", x, source);
  const int axis = normalize_dim("scatter_add", dim, x.rank());
  require_fit("scatter_add", index.shape(), x.shape(), axis);
  if (!(index.shape() == source.shape()))
    throw Error(text("scatter_add: index of shape ", index.shape().str(), " and source of shape ",
                     source.shape().str(), " must be of the same shape"));
  const Dtype dtype = promote("scatter_add", x.dtype(), source.dtype());
  const Array out = copy(x, dtype == boolean ? int64 : dtype);
  scatter_add_into(out, axis, index, cast(source, out.dtype()));
  return out;
}

void scatter_add_into(const Array& x, std::int64_t dim, const Array& index, const Array& source) {
  const int axis = normalize_dim("scatter_add", dim, x.rank());
  if (source.numel() > 0)
    run_index(dispatch::Primitive::scatter_add, "scatter_add", source, index, x, axis);
}

Array index_for_rows(const Array& index, const Shape& shape, std::int64_t dim) {
  require_int64("index_select", index);
  if (index.rank() > 1)
    throw Error(text("index_select: the index must have one dim, its shape is ", index.shape().str()));
  const int axis = normalize_dim("index_select", dim, shape.rank());
  Shape spread = shape;
  Strides strides = Shape::filled(shape.rank(), 0);
  spread[axis] = index.numel();
  strides[axis] = index.rank() == 1 ? index.strides()[0] : 1;
  return index.window(spread, strides, index.offset());
}

}  // namespace torchlight
