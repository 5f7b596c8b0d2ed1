#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

struct Rows {
  std::size_t count;
  std::size_t columns;
};

/// The leading axes are rows, the last `normalized` ones together are columns.
Rows rows_of(const Shape& shape, std::uint32_t normalized) {
  const auto split = shape.end() - normalized;
  return {static_cast<std::size_t>(count(Shape(shape.begin(), split))),
          static_cast<std::size_t>(count(Shape(split, shape.end())))};
}

Shape leading(const Shape& shape, std::uint32_t normalized) {
  return {shape.begin(), shape.end() - normalized};
}
Shape trailing(const Shape& shape, std::uint32_t normalized) {
  return {shape.end() - normalized, shape.end()};
}

Real at_or(const Array& array, std::size_t i, Real otherwise) {
  return array.present() ? array.at[i] : otherwise;
}

/// Mean and reciprocal deviation of a row, and what a plug-in may be off.
struct Statistics {
  Real mean, rstd;
  Real mean_error;  ///< absolute
  Real rstd_error;  ///< relative

  Real normal(Real x) const { return (x - mean) * rstd; }
  Real normal_error(Real x, Real eps) const {
    return mean_error * rstd + std::fabs(normal(x)) * (rstd_error + 2 * eps);
  }
};

/// Sums of small whole numbers are exact in any order, and so is the division by a power of two.
Real mean_bound(const Array& input, std::size_t begin, std::size_t columns, Real sizes) {
  bool exact = (columns & (columns - 1)) == 0 && sizes < std::ldexp(Real(1), info(input.dtype).digits);
  for (std::size_t i = begin; i < begin + columns; ++i) {
    exact = exact && std::trunc(input.at[i]) == input.at[i];
  }
  return exact ? 0 : 2 * epsilon(input.dtype) * sizes / static_cast<Real>(columns);
}

/// Two passes: a mean that is off by d shifts the variance by d² alone.
Statistics statistics(const Array& input, std::size_t begin, std::size_t columns, double eps) {
  const auto n = static_cast<Real>(columns);
  const Real unit = epsilon(input.dtype);
  Real sum = 0, sizes = 0, squares = 0;
  for (std::size_t i = begin; i < begin + columns; ++i)
    sum += input.at[i], sizes += std::fabs(input.at[i]);
  const Real mean = sum / n;
  for (std::size_t i = begin; i < begin + columns; ++i)
    squares += (input.at[i] - mean) * (input.at[i] - mean);
  const Real inside = squares / n + static_cast<Real>(eps);
  const Real mean_error = mean_bound(input, begin, columns, sizes);
  return {mean, 1 / std::sqrt(inside), mean_error, 4 * unit + mean_error * mean_error / inside};
}

void add_to(Result& result, std::size_t i, Real value, Real tolerance) {
  result.value[i] += value;
  result.tolerance[i] += tolerance;
}

/// dinput = rstd (h − mean(h) − n mean(h n)), with h = grad gamma and n the normalised input.
void input_gradient(const Statistics& s, const Array& grad, const Array& input, const Array& gamma,
                    std::size_t begin, std::size_t columns, Result& dinput) {
  const Real unit = epsilon(input.dtype);
  const auto n = static_cast<Real>(columns);
  Real plain = 0, plain_sizes = 0, weighted = 0, weighted_sizes = 0, weighted_error = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    const Real x = input.at[begin + j], h = grad.at[begin + j] * at_or(gamma, j, 1);
    plain += h / n, plain_sizes += std::fabs(h) / n;
    weighted += h * s.normal(x) / n, weighted_sizes += std::fabs(h * s.normal(x)) / n;
    weighted_error += std::fabs(h) * s.normal_error(x, unit) / n;
  }
  for (std::size_t j = 0; j < columns; ++j) {
    const Real x = input.at[begin + j], h = grad.at[begin + j] * at_or(gamma, j, 1),
               normal = s.normal(x);
    const Real parts = std::fabs(h) + plain_sizes + std::fabs(normal) * weighted_sizes;
    const Real error = s.normal_error(x, unit) * weighted_sizes + std::fabs(normal) * weighted_error;
    dinput.set(begin + j, s.rstd * (h - plain - normal * weighted),
               s.rstd * (parts * (8 * unit + s.rstd_error) + error) + 2 * smallest(dinput.dtype));
  }
}

}  // namespace

Layernorm layernorm(const Array& input, const Array& gamma, const Array& beta, double eps,
                    std::uint32_t normalized) {
  const Rows rows = rows_of(input.shape, normalized);
  const Shape outer = leading(input.shape, normalized);
  Layernorm result{{input.dtype, input.shape}, {input.dtype, outer}, {input.dtype, outer}};
  const Real unit = epsilon(input.dtype);
  for (std::size_t r = 0; r < rows.count; ++r) {
    const Statistics s = statistics(input, r * rows.columns, rows.columns, eps);
    result.mean.set(r, s.mean, s.mean_error + unit * std::fabs(s.mean));
    result.rstd.set(r, s.rstd, s.rstd * (s.rstd_error + 2 * unit));
    for (std::size_t j = 0; j < rows.columns; ++j) {
      const std::size_t i = r * rows.columns + j;
      const Real scaled = s.normal(input.at[i]) * at_or(gamma, j, 1);
      const Real value = scaled + at_or(beta, j, 0);
      const Real error = std::fabs(at_or(gamma, j, 1)) * s.normal_error(input.at[i], unit);
      result.output.set(i, value, error + unit * (2 * std::fabs(scaled) + std::fabs(value)));
    }
  }
  return result;
}

LayernormGradient layernorm_gradient(const Array& grad, const Array& input, const Array& gamma,
                                     double eps, std::uint32_t normalized) {
  const Rows rows = rows_of(input.shape, normalized);
  const Shape inner = trailing(input.shape, normalized);
  LayernormGradient result{{input.dtype, input.shape}, {input.dtype, inner}, {input.dtype, inner}};
  const Real unit = epsilon(input.dtype);
  for (std::size_t r = 0; r < rows.count; ++r) {
    const std::size_t begin = r * rows.columns;
    const Statistics s = statistics(input, begin, rows.columns, eps);
    input_gradient(s, grad, input, gamma, begin, rows.columns, result.dinput);
    for (std::size_t j = 0; j < rows.columns; ++j) {
      const Real x = input.at[begin + j], g = grad.at[begin + j];
      const Real product = g * s.normal(x);
      add_to(result.dgamma, j, product,
             8 * unit * std::fabs(product) + std::fabs(g) * s.normal_error(x, unit) +
                 smallest(input.dtype));
      add_to(result.dbeta, j, g, 8 * unit * std::fabs(g));
    }
  }
  return result;
}

}  // namespace torchlight::test::reference
