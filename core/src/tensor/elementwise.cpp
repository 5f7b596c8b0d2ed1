#include <limits>

#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor unary(Op op, Fn fn, const Tensor& x) { return record(op, map(fn, operand(op, x)), {&x}); }

Tensor unary(Op op, Fn fn, const Tensor& x, double a, double b = 0) {
  const Attributes attributes = with_params(a, b);
  return record(op, map(fn, operand(op, x), attributes.params), {&x}, &attributes);
}

Tensor binary(Op op, Fn fn, const Tensor& x, const Tensor& y) {
  return record(op, zip(fn, operand(op, x), operand(op, y)), {&x, &y});
}

Tensor binary(Op op, Fn fn, const Tensor& x, const Tensor& y, double a, double b = 0) {
  const Attributes attributes = with_params(a, b);
  return record(op, zip(fn, operand(op, x), operand(op, y), attributes.params), {&x, &y}, &attributes);
}

/// An integer has no infinity that could stand for a bound that isn't there.
Tensor clamp_integers(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  Tensor result = copy(x, x.dtype() == boolean ? int64 : x.dtype());
  if (min && *min != -infinity) result = maximum(result, *min);
  if (max && *max != infinity) result = minimum(result, *max);
  return result;
}

}  // namespace

Tensor scalar_beside(const Tensor& x, double value) {
  return make_tensor(full({}, value, scalar_dtype(x.dtype(), value), array_of(x).device()));
}

// ---- functions of tensors alone, from the one list

#define TORCHLIGHT_UNARY(name) \
  Tensor name(const Tensor& x) { return unary(Op::name, TL_MAP_##name, x); }
#define TORCHLIGHT_BINARY(name) \
  Tensor name(const Tensor& x, const Tensor& y) { return binary(Op::name, TL_ZIP_##name, x, y); }
#define TORCHLIGHT_PREDICATE1(name) TORCHLIGHT_UNARY(name)
#define TORCHLIGHT_PREDICATE2(name) TORCHLIGHT_BINARY(name)
#include <torchlight/uniform_ops.h>

// The methods.
#define TORCHLIGHT_UNARY(name) \
  Tensor Tensor::name() const { return torchlight::name(*this); }
#define TORCHLIGHT_BINARY(name)                                                             \
  Tensor Tensor::name(const Tensor& other) const { return torchlight::name(*this, other); } \
  Tensor Tensor::name(double other) const { return torchlight::name(*this, other); }
#define TORCHLIGHT_PREDICATE1(name) TORCHLIGHT_UNARY(name)
#define TORCHLIGHT_PREDICATE2(name) \
  Tensor Tensor::name(const Tensor& other) const { return torchlight::name(*this, other); }
#include <torchlight/uniform_ops.h>

// ---- with one scalar operand

#define TORCHLIGHT_SCALAR(name, row, scalar) \
  Tensor name(const Tensor& x, double y) { return unary(Op::row, TL_MAP_##row, x, scalar); }
#define TORCHLIGHT_SCALAR_LEFT(name, row) \
  Tensor name(double x, const Tensor& y) { return unary(Op::row, TL_MAP_##row, y, x); }
TORCHLIGHT_SCALAR(add, add_scalar, y)
TORCHLIGHT_SCALAR(sub, add_scalar, -y)
TORCHLIGHT_SCALAR(mul, mul_scalar, y)
TORCHLIGHT_SCALAR(div, div_scalar, y)
TORCHLIGHT_SCALAR(pow, pow_scalar, y)
TORCHLIGHT_SCALAR_LEFT(add, add_scalar)
TORCHLIGHT_SCALAR_LEFT(sub, rsub_scalar)
TORCHLIGHT_SCALAR_LEFT(mul, mul_scalar)
TORCHLIGHT_SCALAR_LEFT(div, rdiv_scalar)
TORCHLIGHT_SCALAR_LEFT(pow, rpow_scalar)
TORCHLIGHT_SCALAR(eq, eq_scalar, y)
TORCHLIGHT_SCALAR(ne, ne_scalar, y)
TORCHLIGHT_SCALAR(lt, lt_scalar, y)
TORCHLIGHT_SCALAR(le, le_scalar, y)
TORCHLIGHT_SCALAR(gt, gt_scalar, y)
TORCHLIGHT_SCALAR(ge, ge_scalar, y)
#undef TORCHLIGHT_SCALAR
#undef TORCHLIGHT_SCALAR_LEFT

// Ties share the gradient, so the scalar has to be an operand like any other.
Tensor maximum(const Tensor& x, double y) { return maximum(x, scalar_beside(x, y)); }
Tensor maximum(double x, const Tensor& y) { return maximum(y, x); }
Tensor minimum(const Tensor& x, double y) { return minimum(x, scalar_beside(x, y)); }
Tensor minimum(double x, const Tensor& y) { return minimum(y, x); }

Tensor leaky_relu(const Tensor& x, double slope) {
  return unary(Op::leaky_relu, TL_MAP_leaky_relu, x, slope);
}
Tensor softplus(const Tensor& x, double beta, double threshold) {
  if (beta == 0) throw Error("softplus: beta is 0; the function divides by it");
  return unary(Op::softplus, TL_MAP_softplus, x, beta, threshold);
}
Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  if (x.dtype() == int64 || x.dtype() == boolean) return clamp_integers(x, min, max);
  return unary(Op::clamp, TL_MAP_clamp, x, min.value_or(-infinity), max.value_or(infinity));
}
Tensor Tensor::leaky_relu(double slope) const { return torchlight::leaky_relu(*this, slope); }
Tensor Tensor::softplus(double beta, double threshold) const {
  return torchlight::softplus(*this, beta, threshold);
}
Tensor Tensor::clamp(std::optional<double> min, std::optional<double> max) const {
  return torchlight::clamp(*this, min, max);
}

// ---- three inputs

Tensor clamp(const Tensor& x, const Tensor& min, const Tensor& max) {
  constexpr Op op = Op::clamp_tensor;
  return record(op, zip(TL_ZIP_clamp_tensor, operand(op, x), operand(op, min), operand(op, max)),
                {&x, &min, &max});
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  constexpr Op op = Op::where;
  return record(op, where(operand(op, condition), operand(op, x), operand(op, y)),
                {&condition, &x, &y});
}
Tensor where(const Tensor& condition, const Tensor& x, double y) {
  return where(condition, x, scalar_beside(x, y));
}
Tensor where(const Tensor& condition, double x, const Tensor& y) {
  return where(condition, scalar_beside(y, x), y);
}

Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, double value) {
  constexpr Op op = Op::addcmul;
  const Attributes attributes = with_params(value);
  return record(op,
                zip(TL_ZIP_addcmul, operand(op, x), operand(op, a), operand(op, b), attributes.params),
                {&x, &a, &b}, &attributes);
}

// ---- conversion

Tensor copy(const Tensor& x, Dtype dtype) { return record(Op::copy, copy(array_of(x), dtype), {&x}); }
Tensor cast(const Tensor& x, Dtype dtype) { return x.dtype() == dtype ? x : copy(x, dtype); }

Tensor to(const Tensor& x, OpenDevice& device) {
  if (&array_of(x).device() == &device) return x;
  return record_view(Op::transfer, to(array_of(x), device), x);
}

bool allclose(const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
  if (!(x.shape() == y.shape()))
    throw Error(text("allclose: shapes differ: ", x.shape().str(), " and ", y.shape().str()));
  const Array a = array_of(x), b = array_of(y);
  // An infinity is close to itself alone: as a tolerance it would excuse anything.
  const Array tolerance = abs(cast(b, float64)) * rtol + atol;
  Array close = logical_and(le(abs(cast(a - b, float64)), tolerance), isfinite(tolerance));
  close = logical_or(close, eq(a, b));
  if (equal_nan) close = logical_or(close, logical_and(isnan(a), isnan(b)));
  return make_tensor(reduce(TL_REDUCE_all, close)).item<bool>();
}

// ---- the derivatives' own functions

Tensor relu_bw(const Tensor& g, const Tensor& x) { return binary(Op::relu_bw, TL_ZIP_relu_bw, g, x); }
Tensor sigmoid_bw(const Tensor& g, const Tensor& y) {
  return binary(Op::sigmoid_bw, TL_ZIP_sigmoid_bw, g, y);
}
Tensor tanh_bw(const Tensor& g, const Tensor& y) { return binary(Op::tanh_bw, TL_ZIP_tanh_bw, g, y); }
Tensor gelu_bw(const Tensor& g, const Tensor& x) { return binary(Op::gelu_bw, TL_ZIP_gelu_bw, g, x); }
Tensor gelu_tanh_bw(const Tensor& g, const Tensor& x) {
  return binary(Op::gelu_tanh_bw, TL_ZIP_gelu_tanh_bw, g, x);
}
Tensor silu_bw(const Tensor& g, const Tensor& x) { return binary(Op::silu_bw, TL_ZIP_silu_bw, g, x); }
Tensor leaky_relu_bw(const Tensor& g, const Tensor& x, double slope) {
  return binary(Op::leaky_relu_bw, TL_ZIP_leaky_relu_bw, g, x, slope);
}
Tensor softplus_bw(const Tensor& g, const Tensor& x, double beta, double threshold) {
  return binary(Op::softplus_bw, TL_ZIP_softplus_bw, g, x, beta, threshold);
}
Tensor clamp_bw(const Tensor& g, const Tensor& x, double min, double max) {
  return binary(Op::clamp_bw, TL_ZIP_clamp_bw, g, x, min, max);
}

}  // namespace torchlight
