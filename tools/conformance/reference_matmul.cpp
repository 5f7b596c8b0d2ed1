#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

struct Sum {
  Real value = 0;
  Real sizes = 0;  ///< of all that was added

  void add(Real x) { value += x, sizes += std::fabs(x); }
};

/// alpha a b + beta output + bias for one element, before the activation.
Sum element(const Array& a, const Array& b, const Array& bias, const Array& output,
            const MatmulOptions& options, const Shape& index) {
  const std::size_t rank = index.size();
  Shape at_a = index, at_b = index;
  Sum sum;
  for (std::int64_t k = 0; k < a.shape[rank - 1]; ++k) {
    at_a[rank - 1] = at_b[rank - 2] = k;
    sum.add(static_cast<Real>(options.alpha) * a.at[place(at_a, a.shape)] * b.at[place(at_b, b.shape)]);
  }
  const std::size_t i = place(index, output.shape);
  if (options.beta != 0) sum.add(static_cast<Real>(options.beta) * output.at[i]);
  if (bias.present()) sum.add(bias.at[i]);
  return sum;
}

/// The same in int64, which wraps around in any order.
Scalar whole_element(const Array& a, const Array& b, const Array& bias, const Array& output,
                     const MatmulOptions& options, const Shape& index) {
  const auto whole = [](Real x) { return static_cast<std::int64_t>(x); };
  const std::size_t rank = index.size(), i = place(index, output.shape);
  Shape at_a = index, at_b = index;
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < a.shape[rank - 1]; ++k) {
    at_a[rank - 1] = at_b[rank - 2] = k;
    sum = add(sum, multiply(whole(a.at[place(at_a, a.shape)]), whole(b.at[place(at_b, b.shape)])));
  }
  sum = multiply(sum, whole(options.alpha));
  if (options.beta != 0) sum = add(sum, multiply(whole(options.beta), whole(output.at[i])));
  return exactly(static_cast<Real>(bias.present() ? add(sum, whole(bias.at[i])) : sum));
}

/// The activation, whose slope is at most `steepest`, carries an error of its argument on.
Scalar activate(std::uint32_t fn, Dtype dtype, Scalar x) {
  constexpr Real steepest = 1.2L;
  const Scalar y = map(fn, dtype, x.value, {});
  return {y.value, y.tolerance + steepest * x.tolerance};
}

}  // namespace

Result matmul(const Array& a, const Array& b, const Array& bias, const Array& output,
              const MatmulOptions& options) {
  Result result(output.dtype, output.shape);
  if (result.value.empty()) return result;
  const Dtype inner = a.dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32;
  // Errors of k roundings mostly cancel; those of the scaling and of the additions behind it don't.
  const auto k = static_cast<Real>(a.shape.back());
  const Real rounding = epsilon(inner) * (3 + std::sqrt(k));
  Shape index(output.shape.size(), 0);
  std::size_t i = 0;
  do {
    if (output.dtype == Dtype::int64) {
      result.set(i++, whole_element(a, b, bias, output, options, index).value, 0);
      continue;
    }
    const Sum sum = element(a, b, bias, output, options, index);
    Scalar r{sum.value, rounding * sum.sizes + smallest(inner)};
    if (options.activation) r = activate(options.activation, inner, r);
    if (output.dtype != inner) r.tolerance += spacing(output.dtype, r.value);
    result.set(i++, r.value, r.tolerance);
  } while (advance(index, output.shape));
  return result;
}

}  // namespace torchlight::test::reference
