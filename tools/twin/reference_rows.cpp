#include "reference_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "command.h"

namespace twin_command {
namespace {

std::size_t last_of(const Values& x) {
  return x.shape.empty() ? 1 : static_cast<std::size_t>(x.shape.back());
}
std::size_t rows_of(const Values& x) { return last_of(x) ? x.value.size() / last_of(x) : 0; }

Values like(const Values& x) {
  return {x.shape, std::vector<double>(x.value.size()), std::vector<double>(x.value.size())};
}

void want_length(const Values& x, std::size_t length, const char* what) {
  if (x.value.size() != length)
    throw BadInput(std::string(what) + " has " + std::to_string(x.value.size()) + " elements, " +
                   std::to_string(length) + " are needed");
}

struct Statistics {
  double mean, inverse;
};
Statistics statistics(const double* row, std::size_t n, double eps, bool centred) {
  double mean = 0, squares = 0;
  if (centred) mean = std::accumulate(row, row + n, 0.0) / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) squares += (row[k] - mean) * (row[k] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(n) + eps)};
}

}  // namespace

Values reduced(const Values& x, double wanted, Reduction how) {
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  auto dim = static_cast<std::int64_t>(wanted);
  std::size_t outer = 1, length = x.value.size(), inner = 1;
  Values result;
  if (wanted != -100) {
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank)
      throw BadInput("there is no dim " + std::to_string(static_cast<std::int64_t>(wanted)) + " of " +
                     shown(x.shape));
    length = static_cast<std::size_t>(x.shape[static_cast<std::size_t>(dim)]);
    for (std::int64_t k = 0; k < rank; ++k) {
      if (k < dim) outer *= static_cast<std::size_t>(x.shape[static_cast<std::size_t>(k)]);
      if (k > dim) inner *= static_cast<std::size_t>(x.shape[static_cast<std::size_t>(k)]);
      if (k != dim) result.shape.push_back(x.shape[static_cast<std::size_t>(k)]);
    }
  }
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      const auto at = [&](std::size_t k) { return x.value[(o * length + k) * inner + i]; };
      double sum = 0, sizes = 0, most = -INFINITY, least = INFINITY, squares = 0;
      for (std::size_t k = 0; k < length; ++k)
        sum += at(k), sizes += std::fabs(at(k)), most = std::max(most, at(k)),
                                                 least = std::min(least, at(k));
      const auto n = static_cast<double>(length);
      for (std::size_t k = 0; k < length; ++k) squares += (at(k) - sum / n) * (at(k) - sum / n);
      const double value = how == Reduction::sum        ? sum
                           : how == Reduction::mean     ? sum / n
                           : how == Reduction::variance ? squares / n
                           : how == Reduction::max      ? most
                                                        : least;
      result.value.push_back(value);
      result.scale.push_back(how == Reduction::sum    ? sizes
                             : how == Reduction::mean ? sizes / n
                                                      : std::fabs(value));
    }
  }
  return result;
}

Values running_sum(const Values& x) {
  Values result = like(x);
  const std::size_t n = last_of(x);
  for (std::size_t k = 0; k < x.value.size(); ++k) {
    const bool first = k % n == 0;
    result.value[k] = x.value[k] + (first ? 0 : result.value[k - 1]);
    result.scale[k] = std::fabs(x.value[k]) + (first ? 0 : result.scale[k - 1]);
  }
  return result;
}

Values softmax(const Values& x) {
  Values result = like(x);
  const std::size_t n = last_of(x);
  for (std::size_t r = 0; r < rows_of(x); ++r) {
    const double* row = x.value.data() + r * n;
    const double most = *std::max_element(row, row + n);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += std::exp(row[k] - most);
    for (std::size_t k = 0; k < n; ++k) result.value[r * n + k] = std::exp(row[k] - most) / sum;
  }
  result.scale = result.value;
  return result;
}

Values softmax_backward(const Values& grad, const Values& soft) {
  want_length(soft, grad.value.size(), "softmax");
  Values result = like(grad);
  const std::size_t n = last_of(grad);
  for (std::size_t r = 0; r < rows_of(grad); ++r) {
    double dot = 0, sizes = 0;
    for (std::size_t k = r * n; k < (r + 1) * n; ++k)
      dot += grad.value[k] * soft.value[k], sizes += std::fabs(grad.value[k] * soft.value[k]);
    for (std::size_t k = r * n; k < (r + 1) * n; ++k) {
      result.value[k] = soft.value[k] * (grad.value[k] - dot);
      result.scale[k] = std::fabs(soft.value[k]) * (std::fabs(grad.value[k]) + sizes);
    }
  }
  return result;
}

Values layernorm(const Values& x, const Values* gamma, const Values* beta, double eps, bool centred) {
  Values result = like(x);
  const std::size_t n = last_of(x);
  if (gamma) want_length(*gamma, n, "gamma");
  if (beta) want_length(*beta, n, "beta");
  for (std::size_t r = 0; r < rows_of(x); ++r) {
    const auto [mean, inverse] = statistics(x.value.data() + r * n, n, eps, centred);
    for (std::size_t k = 0; k < n; ++k) {
      const double g = gamma ? gamma->value[k] : 1, b = beta ? beta->value[k] : 0;
      result.value[r * n + k] = (x.value[r * n + k] - mean) * inverse * g + b;
      result.scale[r * n + k] =
          (std::fabs(x.value[r * n + k]) + std::fabs(mean)) * inverse * std::fabs(g) + std::fabs(b);
    }
  }
  return result;
}

Values layernorm_backward(const Values& grad, const Values& x, const Values& gamma, double eps) {
  Values result = like(x);
  const std::size_t n = last_of(x);
  want_length(grad, x.value.size(), "grad");
  want_length(gamma, n, "gamma");
  for (std::size_t r = 0; r < rows_of(x); ++r) {
    const auto [mean, inverse] = statistics(x.value.data() + r * n, n, eps, true);
    double first = 0, second = 0, sizes = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double g = grad.value[r * n + k] * gamma.value[k],
                   normal = (x.value[r * n + k] - mean) * inverse;
      first += g / static_cast<double>(n), second += g * normal / static_cast<double>(n),
          sizes += std::fabs(g) / static_cast<double>(n);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double g = grad.value[r * n + k] * gamma.value[k],
                   normal = (x.value[r * n + k] - mean) * inverse;
      result.value[r * n + k] = inverse * (g - first - normal * second);
      result.scale[r * n + k] = inverse * (std::fabs(g) + sizes * (1 + std::fabs(normal)));
    }
  }
  return result;
}

Values layernorm_gamma(const Values& grad, const Values& x, double eps) {
  const std::size_t n = last_of(x);
  want_length(grad, x.value.size(), "grad");
  Values result{{static_cast<std::int64_t>(n)}, std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t r = 0; r < rows_of(x); ++r) {
    const auto [mean, inverse] = statistics(x.value.data() + r * n, n, eps, true);
    for (std::size_t k = 0; k < n; ++k) {
      const double term = grad.value[r * n + k] * (x.value[r * n + k] - mean) * inverse;
      result.value[k] += term;
      result.scale[k] += std::fabs(term);
    }
  }
  return result;
}

Values matmul(const Values& a, const Values& b) {
  const std::size_t rank = a.shape.size();
  if (rank < 2 || b.shape.size() != rank || a.shape[rank - 1] != b.shape[rank - 2] ||
      !std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin()))
    throw BadInput("matmul: " + shown(a.shape) + " by " + shown(b.shape) + " doesn't fit");
  const auto m = static_cast<std::size_t>(a.shape[rank - 2]),
             n = static_cast<std::size_t>(a.shape[rank - 1]),
             k = static_cast<std::size_t>(b.shape[rank - 1]);
  Values result;
  result.shape = a.shape;
  result.shape.back() = b.shape.back();
  const auto all = static_cast<std::size_t>(count_of(result.shape));
  result.value.resize(all), result.scale.resize(all);
  for (std::size_t row = 0; row < all / std::max<std::size_t>(k, 1); ++row) {
    const std::size_t batch = row / m;
    for (std::size_t j = 0; j < n; ++j) {
      const double x = a.value[row * n + j];
      for (std::size_t c = 0; c < k; ++c) {
        const double term = x * b.value[(batch * n + j) * k + c];
        result.value[row * k + c] += term;
        result.scale[row * k + c] += std::fabs(term);
      }
    }
  }
  return result;
}

Values transpose(const Values& x) {
  if (x.shape.size() != 2) throw BadInput("transpose: of two dims, not " + shown(x.shape));
  const auto rows = static_cast<std::size_t>(x.shape[0]),
             columns = static_cast<std::size_t>(x.shape[1]);
  Values result = like(x);
  result.shape = {x.shape[1], x.shape[0]};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      result.value[c * rows + r] = x.value[r * columns + c],
                              result.scale[c * rows + r] = std::fabs(x.value[r * columns + c]);
  return result;
}

Values convolution(const Values& x, const Values& kernel) {
  const std::size_t n = x.value.size(), k = kernel.value.size();
  if (k == 0 || k > n)
    throw BadInput("conv1d: a kernel of " + std::to_string(k) + " over " + std::to_string(n));
  Values result{{static_cast<std::int64_t>(n - k + 1)},
                std::vector<double>(n - k + 1),
                std::vector<double>(n - k + 1)};
  for (std::size_t i = 0; i + k <= n; ++i)
    for (std::size_t j = 0; j < k; ++j)
      result.value[i] += x.value[i + j] * kernel.value[j],
          result.scale[i] += std::fabs(x.value[i + j] * kernel.value[j]);
  return result;
}

}  // namespace twin_command
