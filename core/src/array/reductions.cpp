#include <cmath>
#include <limits>

#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"

namespace torchlight {
namespace {

constexpr auto names = [] {
  std::array<const char*, 32> rows{};
#define TL_REDUCE(id, name, ...) rows[id] = #name;
#include <torchlight/ops.def>
  return rows;
}();

bool is_arg(Fn fn) { return fn == TL_REDUCE_argmax || fn == TL_REDUCE_argmin; }
bool is_predicate(Fn fn) { return fn == TL_REDUCE_any || fn == TL_REDUCE_all; }
bool has_identity(Fn fn) { return fn == TL_REDUCE_sum || fn == TL_REDUCE_prod || is_predicate(fn); }

void require_elements(Fn fn, const Shape& shape, std::uint32_t mask) {
  bool result_is_empty = false, reduces_nothing = false;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] != 0) continue;
    (mask >> d & 1 ? reduces_nothing : result_is_empty) = true;
  }
  if (reduces_nothing && !result_is_empty)
    throw Error(text(names[fn], ": no elements to choose from: a reduced dim of shape ", shape.str(),
                     " is empty, and ", names[fn], " of nothing is undefined"));
}

std::int64_t count_of(const Shape& shape, std::uint32_t mask) {
  std::int64_t count = 1;
  for (int d = 0; d < shape.rank(); ++d)
    if (mask >> d & 1) count *= shape[d];
  return count;
}

Array real(const Array& x) { return is_floating(x.dtype()) ? x : copy(x, float32); }

}  // namespace

const char* reduce_name(Fn fn) { return names[fn]; }

Array reduce(Fn fn, const Array& x, const Dims& dims, bool keepdim) {
  const std::uint32_t mask = dims_mask(names[fn], dims, x.rank());
  if (!has_identity(fn)) require_elements(fn, x.shape(), mask);
  const Dtype working =
      promote(names[fn], x.dtype(), x.dtype()) == boolean && !is_predicate(fn) ? int64 : x.dtype();
  const Array input = cast(x, working);
  Array out = empty(reduced_shape(x.shape(), mask, true),
                    is_arg(fn)         ? int64
                    : is_predicate(fn) ? boolean
                                       : working,
                    x.device());
  if (out.numel() > 0) {
    const tl_view from = input.view(), to = out.view();
    tl_reduce_args args{{sizeof(tl_reduce_args), 0, nullptr}, fn, mask, &from, &to};
    dispatch::run(x.device(), {dispatch::Primitive::reduce, names[fn], &args.head});
  }
  if (keepdim) return out;
  const Shape shape = reduced_shape(x.shape(), mask, false);
  return out.window(shape, contiguous_strides(shape), 0);
}

Array mean(const Array& x, const Dims& dims, bool keepdim) {
  const double count = static_cast<double>(count_of(x.shape(), dims_mask("mean", dims, x.rank())));
  return sum(real(x), dims, keepdim) / count;
}

Array std(const Array& x, const Dims& dims, bool keepdim, double correction) {
  const double count = static_cast<double>(count_of(x.shape(), dims_mask("std", dims, x.rank())));
  const Array distance = real(x) - mean(x, dims, true);
  const double divisor = count - correction;
  return sqrt(sum(square(distance), dims, keepdim) / (divisor > 0 ? divisor : 0));
}

namespace {

/// The largest of the values, without which exp doesn't overflow. An infinite one can't be subtracted, as
/// inf - inf is NaN; without it exp does the right thing.
Array shift_for_exp(const Array& values, const Dims& dims) {
  const Array largest = reduce(TL_REDUCE_max, values, dims, true);
  return where(isinf(largest), 0.0, largest);
}

}  // namespace

Array logsumexp(const Array& x, const Dims& dims, bool keepdim) {
  const std::uint32_t mask = dims_mask("logsumexp", dims, x.rank());
  if (count_of(x.shape(), mask) == 0)  // the logarithm of an empty sum
    return full(reduced_shape(x.shape(), mask, keepdim), -std::numeric_limits<double>::infinity(),
                real(x).dtype(), x.device());
  const Array values = real(x);
  const Array shift = shift_for_exp(values, dims);
  const Array result = log(sum(exp(values - shift), dims, true)) + shift;
  return keepdim ? result : reshape(result, reduced_shape(x.shape(), mask, false));
}

// Not x - logsumexp(x): adding the largest value to the logarithm would round away all that is small beside it.
Array log_softmax(const Array& x, std::int64_t dim) {
  if (x.numel() == 0) return copy(x, x.dtype());
  const Array distance = x - shift_for_exp(x, dim);
  return distance - log(sum(exp(distance), dim, true));
}

Array norm(const Array& x, const Dims& dims, bool keepdim) {
  return sqrt(sum(square(real(x)), dims, keepdim));
}

Array scan(Fn fn, const Array& x, std::int64_t dim, bool reverse) {
  const std::string name = text("cum", names[fn]);
  const Dtype working = promote(name.c_str(), x.dtype(), x.dtype()) == boolean ? int64 : x.dtype();
  Array out = empty(x.shape(), working, x.device());
  if (x.rank() == 0) {
    normalize_dim(name.c_str(), dim, 1);
    copy_into(x, out);
    return out;
  }
  const int axis = normalize_dim(name.c_str(), dim, x.rank());
  if (out.numel() == 0) return out;
  const Array input = cast(x, working);
  const tl_view from = input.view(), to = out.view();
  tl_scan_args args{{sizeof(tl_scan_args), 0, nullptr},
                    fn,
                    static_cast<std::uint32_t>(axis),
                    reverse ? 1u : 0u,
                    0,
                    &from,
                    &to};
  dispatch::run(x.device(), {dispatch::Primitive::scan, "cumsum", &args.head});
  return out;
}

Array sum_to(const Array& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Dims stretched;
  const int extra = x.rank() - shape.rank();
  for (int d = 0; d < x.rank(); ++d)
    if (d < extra || (shape[d - extra] == 1 && x.shape()[d] != 1)) stretched.push_back(d);
  return reshape(stretched.empty() ? x : sum(x, stretched, true), shape);
}

}  // namespace torchlight
