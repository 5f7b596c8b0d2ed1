#include <algorithm>

#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

/// Calls f for each row of the last axis; `row` counts along the last but one.
template <class F> void for_rows(const Shape& shape, F&& f) {
  const auto columns = static_cast<std::size_t>(shape.back());
  if (count(shape) == 0) return;
  const std::size_t total = static_cast<std::size_t>(count(shape)) / columns;
  const auto rows =
      shape.size() < 2 ? std::size_t{1} : static_cast<std::size_t>(shape[shape.size() - 2]);
  for (std::size_t r = 0; r < total; ++r) f(r * columns, static_cast<std::int64_t>(r % rows), columns);
}

std::size_t counted_columns(const SoftmaxOptions& options, std::int64_t row, std::size_t columns) {
  if (!options.causal) return columns;
  const auto all = static_cast<std::int64_t>(columns);
  return static_cast<std::size_t>(
      std::min(std::max<std::int64_t>(row + options.causal_offset + 1, 0), all));
}

struct Logit {
  Real value;
  Real error;  ///< of a plug-in's own scale * x + mask
};

Logit logit(const Array& input, const Array& mask, Real scale, std::size_t at) {
  const Real scaled = scale * input.at[at];
  if (!mask.present()) return {scaled, scale == 1 ? 0 : epsilon(input.dtype) * std::fabs(scaled)};
  const Real value = scaled + mask.at[at];
  return {value, epsilon(input.dtype) * (std::fabs(scaled) + std::fabs(value))};
}

/// exp(z − max) / Σ exp(z − max), where an absolute error of z is a relative one of the result.
void softmax_row(const std::vector<Logit>& z, std::size_t begin, Result& result) {
  Logit top{-infinity, 0};
  for (const Logit& l : z) {
    if (std::isnan(l.value) || l.value > top.value) top = l;
    if (std::isnan(top.value)) break;
  }
  if (top.value == -infinity) return;  // zeros
  const Real eps = epsilon(result.dtype);
  std::vector<Real> weight(z.size()), error(z.size());
  Real total = 0, total_error = 0;
  for (std::size_t j = 0; j < z.size(); ++j) {
    const Real below = z[j].value - top.value;
    weight[j] = std::exp(below);
    total += weight[j];
    if (weight[j] == 0) continue;
    error[j] = z[j].error + top.error + eps * (std::fabs(below) + 2);
    total_error += weight[j] * error[j];
  }
  total_error /= total;
  for (std::size_t j = 0; j < z.size(); ++j) {
    const Real y = weight[j] / total;
    result.set(begin + j, y, y * (error[j] + total_error + 8 * eps) + 2 * smallest(result.dtype));
  }
}

}  // namespace

Result softmax(const Array& input, const Array& mask, const SoftmaxOptions& options) {
  Result result(input.dtype, input.shape);
  for_rows(input.shape, [&](std::size_t begin, std::int64_t row, std::size_t columns) {
    std::vector<Logit> z(counted_columns(options, row, columns));
    const auto scale = static_cast<Real>(options.scale);
    for (std::size_t j = 0; j < z.size(); ++j) z[j] = logit(input, mask, scale, begin + j);
    softmax_row(z, begin, result);
  });
  return result;
}

Result softmax_gradient(const Array& grad, const Array& soft, double scale) {
  Result result(grad.dtype, grad.shape);
  const Real eps = epsilon(grad.dtype);
  for_rows(grad.shape, [&](std::size_t begin, std::int64_t, std::size_t columns) {
    Real sum = 0, sizes = 0;
    for (std::size_t i = begin; i < begin + columns; ++i) {
      sum += grad.at[i] * soft.at[i];
      sizes += std::fabs(grad.at[i] * soft.at[i]);
    }
    for (std::size_t i = begin; i < begin + columns; ++i) {
      const Real weight = static_cast<Real>(scale) * soft.at[i];
      const Real parts = std::fabs(grad.at[i]) + sizes;
      result.set(i, weight * (grad.at[i] - sum),
                 8 * eps * std::fabs(weight) * parts + 2 * (1 + parts) * smallest(grad.dtype));
    }
  });
  return result;
}

}  // namespace torchlight::test::reference
