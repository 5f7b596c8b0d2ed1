#include <cmath>

#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {
namespace {

Attributes over(const Dims& dims, bool keepdim, double param = 0) {
  Attributes attributes;
  attributes.dims = dims;
  attributes.keepdim = keepdim;
  attributes.params[0] = param;
  return attributes;
}

Tensor reduced(Op op, Fn fn, const Tensor& x, const Dims& dims, bool keepdim) {
  const Attributes attributes = over(dims, keepdim);
  return record(op, reduce(fn, operand(op, x), dims, keepdim), {&x}, &attributes);
}

/// What mean and the like compute with.
Tensor real(const char* operation, const Tensor& x) {
  if (!x.defined()) refuse_undefined(operation);
  return is_floating(x.dtype()) ? x : cast(x, float32);
}

double count_over(const char* operation, const Tensor& x, const Dims& dims) {
  const std::uint32_t mask = dims_mask(operation, dims, x.shape().rank());
  double count = 1;
  for (int d = 0; d < x.shape().rank(); ++d)
    if (mask >> d & 1) count *= static_cast<double>(x.shape()[d]);
  return count;
}

Tensor arg(Op op, Fn fn, const Tensor& x, std::optional<std::int64_t> dim, bool keepdim) {
  return reduced(op, fn, x, dim ? Dims(*dim) : Dims(), keepdim);
}

}  // namespace

#define TORCHLIGHT_REDUCTION(name)                                \
  Tensor name(const Tensor& x, const Dims& dims, bool keepdim) {  \
    return reduced(Op::name, TL_REDUCE_##name, x, dims, keepdim); \
  }
TORCHLIGHT_REDUCTION(sum)
TORCHLIGHT_REDUCTION(prod)
TORCHLIGHT_REDUCTION(max)
TORCHLIGHT_REDUCTION(min)
TORCHLIGHT_REDUCTION(any)
TORCHLIGHT_REDUCTION(all)
#undef TORCHLIGHT_REDUCTION

Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim, bool keepdim) {
  return arg(Op::argmax, TL_REDUCE_argmax, x, dim, keepdim);
}
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim, bool keepdim) {
  return arg(Op::argmin, TL_REDUCE_argmin, x, dim, keepdim);
}

Tensor mean(const Tensor& x, const Dims& dims, bool keepdim) {
  const Tensor values = real("mean", x);
  return sum(values, dims, keepdim) / count_over("mean", x, dims);
}

Tensor var(const Tensor& x, const Dims& dims, bool keepdim, double correction) {
  const Tensor values = real("var", x);
  const double divisor = count_over("var", x, dims) - correction;
  return sum(square(values - mean(values, dims, true)), dims, keepdim) / (divisor > 0 ? divisor : 0);
}

Tensor std(const Tensor& x, const Dims& dims, bool keepdim, double correction) {
  const Tensor values = real("std", x);
  const Attributes attributes = over(dims, keepdim, count_over("std", x, dims) - correction);
  return record(Op::std, std(array_of(values), dims, keepdim, correction), {&values}, &attributes);
}

Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim) {
  const Tensor values = real("logsumexp", x);
  const Attributes attributes = over(dims, keepdim);
  return record(Op::logsumexp, logsumexp(array_of(values), dims, keepdim), {&values}, &attributes);
}

Tensor norm(const Tensor& x, double p, const Dims& dims, bool keepdim) {
  const Tensor values = real("norm", x);
  if (p == 2) {  // with a rule of its own: the square root has no slope at 0, the norm has 0
    const Attributes attributes = over(dims, keepdim);
    return record(Op::norm, norm(array_of(values), dims, keepdim), {&values}, &attributes);
  }
  const Tensor size = abs(values);
  if (p == 1) return sum(size, dims, keepdim);
  if (std::isinf(p)) return p > 0 ? max(size, dims, keepdim) : min(size, dims, keepdim);
  if (p == 0) return sum(cast(ne(size, 0), size.dtype()), dims, keepdim);
  // Below 1 the power has no slope at 0, and the norm has 0 there.
  const Tensor is_none = eq(size, 0);
  const Tensor powers =
      p > 0 && p < 1 ? where(is_none, 0, pow(where(is_none, 1, size), p)) : pow(size, p);
  const Tensor total = sum(powers, dims, keepdim);
  if (!(p > 0)) return pow(total, 1 / p);
  const Tensor is_zero = eq(total, 0);  // the root has no slope there, the norm has 0
  return where(is_zero, 0, pow(where(is_zero, 1, total), 1 / p));
}

Tensor scan(Fn fn, const Tensor& x, std::int64_t dim, bool reverse) {
  Attributes attributes;
  attributes.dim = dim;
  attributes.reverse = reverse;
  return record(Op::scan, scan(fn, operand(Op::scan, x), dim, reverse), {&x}, &attributes);
}

Tensor cumsum(const Tensor& x, std::int64_t dim) { return scan(TL_REDUCE_sum, x, dim, false); }

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Dims stretched;
  const int extra = x.shape().rank() - shape.rank();
  for (int d = 0; d < x.shape().rank(); ++d)
    if (d < extra || (shape[d - extra] == 1 && x.shape()[d] != 1)) stretched.push_back(d);
  return reshape(stretched.empty() ? x : sum(x, stretched, true), shape);
}

#define TORCHLIGHT_METHOD(name)                               \
  Tensor Tensor::name(const Dims& dims, bool keepdim) const { \
    return torchlight::name(*this, dims, keepdim);            \
  }
TORCHLIGHT_METHOD(sum)
TORCHLIGHT_METHOD(mean)
TORCHLIGHT_METHOD(prod)
TORCHLIGHT_METHOD(max)
TORCHLIGHT_METHOD(min)
TORCHLIGHT_METHOD(any)
TORCHLIGHT_METHOD(all)
TORCHLIGHT_METHOD(logsumexp)
#undef TORCHLIGHT_METHOD
Tensor Tensor::var(const Dims& dims, bool keepdim, double correction) const {
  return torchlight::var(*this, dims, keepdim, correction);
}
Tensor Tensor::std(const Dims& dims, bool keepdim, double correction) const {
  return torchlight::std(*this, dims, keepdim, correction);
}
Tensor Tensor::argmax(std::optional<std::int64_t> dim, bool keepdim) const {
  return torchlight::argmax(*this, dim, keepdim);
}
Tensor Tensor::argmin(std::optional<std::int64_t> dim, bool keepdim) const {
  return torchlight::argmin(*this, dim, keepdim);
}
Tensor Tensor::norm(double p, const Dims& dims, bool keepdim) const {
  return torchlight::norm(*this, p, dims, keepdim);
}
Tensor Tensor::cumsum(std::int64_t dim) const { return torchlight::cumsum(*this, dim); }

}  // namespace torchlight
