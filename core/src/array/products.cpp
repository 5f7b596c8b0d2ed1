#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"

namespace torchlight {
namespace {

/// A batch of matrices times one matrix is one tall product: no repeated packing of the right side.
bool is_batch_times_matrix(const Array& a, const Array& b) { return a.rank() > 2 && b.rank() == 2; }

Shape batch_of(const Shape& shape) {
  Shape batch = shape;
  batch.erase(shape.rank() - 1);
  batch.erase(shape.rank() - 2);
  return batch;
}

Shape joined(const Shape& batch, std::int64_t rows, std::int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

}  // namespace

Array matmul(const Array& a, const Array& b) {
  const std::int64_t m = a.shape()[a.rank() - 2], k = a.shape().back();
  const std::int64_t inner = b.shape()[b.rank() - 2], n = b.shape().back();
  if (k != inner)
    throw Error(text("matmul: inner dimensions differ: ", a.shape().str(), " @ ", b.shape().str(), " (",
                     k, " against ", inner, ")"));
  require_same_device("matmul", a, b);
  if (is_batch_times_matrix(a, b) && m > 0) {
    const Array tall = try_view(a, {a.numel() / (k > 0 ? k : 1), k});
    if (k > 0 && tall.defined()) return reshape(matmul(tall, b), joined(batch_of(a.shape()), m, n));
  }
  Shape batch;
  try {
    batch = broadcast_shapes(batch_of(a.shape()), batch_of(b.shape()));
  } catch (const Error& e) {
    throw Error(
        text("matmul: batch dims of ", a.shape().str(), " and ", b.shape().str(), ": ", e.what()));
  }
  const bool half = a.dtype() == b.dtype() && (a.dtype() == float16 || a.dtype() == bfloat16);
  const Dtype promoted = half ? a.dtype() : promote("matmul", a.dtype(), b.dtype());
  const Dtype dtype = promoted == boolean ? int64 : promoted;
  const Array left = cast(a, dtype), right = cast(b, dtype);
  Array out = empty(joined(batch, m, n), dtype, a.device());
  if (out.numel() == 0) return out;
  const Shape a_shape = joined(batch, m, k), b_shape = joined(batch, k, n);
  const tl_view a_view = left.view(a_shape, broadcast_strides(left.shape(), left.strides(), a_shape));
  const tl_view b_view =
      right.view(b_shape, broadcast_strides(right.shape(), right.strides(), b_shape));
  const tl_view out_view = out.view();
  tl_matmul_args args{
      {sizeof(tl_matmul_args), 0, nullptr}, &a_view, &b_view, &out_view, 1, 0, nullptr, TL_FN_NONE, 0};
  dispatch::run(a.device(), {dispatch::Primitive::matmul, "matmul", &args.head});
  return out;
}

}  // namespace torchlight
