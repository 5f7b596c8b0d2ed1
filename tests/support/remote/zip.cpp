#include <numbers>

#include "failure.h"
#include "kernels.h"

namespace remote {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The derivative of x * Phi(x).
double gelu_slope(double x) {
  if (std::isinf(x)) return x > 0;
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
  return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * density;
}

double silu_slope(double x) {
  if (std::isinf(x)) return x > 0;
  const double s = sigmoid(x);
  return s * (1 + x * (1 - s));
}

double real(std::uint32_t fn, double x, double y, double z, double a, double b) {
  const bool nan = std::isnan(x) || std::isnan(y);
  switch (fn) {
    case TL_ZIP_add: return x + y;
    case TL_ZIP_sub: return x - y;
    case TL_ZIP_mul: return x * y;
    case TL_ZIP_div: return x / y;
    case TL_ZIP_maximum: return nan ? x + y : std::max(x, y);
    case TL_ZIP_minimum: return nan ? x + y : std::min(x, y);
    case TL_ZIP_clamp_tensor: return nan || std::isnan(z) ? x + y + z : std::min(std::max(x, y), z);
    case TL_ZIP_relu_bw: return y > 0 ? x : 0;
    case TL_ZIP_sigmoid_bw: return x * y * (1 - y);
    case TL_ZIP_tanh_bw: return x * (1 - y * y);
    case TL_ZIP_gelu_bw: return x * gelu_slope(y);
    case TL_ZIP_silu_bw: return x * silu_slope(y);
    case TL_ZIP_leaky_relu_bw: return y > 0 ? x : a * x;
    case TL_ZIP_clamp_bw: return a <= y && y <= b ? x : 0;
    default: throw Failure(TL_E_INTERNAL, "a zip function without a body");
  }
}

std::int64_t integer(std::uint32_t fn, std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  switch (fn) {
    case TL_ZIP_add: return static_cast<std::int64_t>(ux + uy);
    case TL_ZIP_sub: return static_cast<std::int64_t>(ux - uy);
    case TL_ZIP_mul: return static_cast<std::int64_t>(ux * uy);
    case TL_ZIP_maximum: return std::max(x, y);
    case TL_ZIP_minimum: return std::min(x, y);
    case TL_ZIP_clamp_tensor: return std::min(std::max(x, y), z);
    default: throw Failure(TL_E_INTERNAL, "a zip function without a body");
  }
}

template <class T> bool predicate(std::uint32_t fn, T x, T y) {
  switch (fn) {
    case TL_ZIP_eq: return x == y;
    case TL_ZIP_ne: return x != y;
    case TL_ZIP_lt: return x < y;
    case TL_ZIP_le: return x <= y;
    case TL_ZIP_gt: return x > y;
    case TL_ZIP_ge: return x >= y;
    case TL_ZIP_logical_and: return x != T(0) && y != T(0);
    case TL_ZIP_logical_or: return x != T(0) || y != T(0);
    case TL_ZIP_logical_xor: return (x != T(0)) != (y != T(0));
    default: throw Failure(TL_E_INTERNAL, "a zip function without a body");
  }
}

bool is_predicate(std::uint32_t fn) { return fn >= TL_ZIP_eq && fn <= TL_ZIP_logical_xor; }

}  // namespace

void run_zip(std::uint32_t fn, const std::vector<Operand>& inputs, const Operand& output,
             const double* p) {
  const char* data[3] = {};
  for (std::size_t k = 0; k < inputs.size(); ++k) data[k] = inputs[k].data();
  char* out = output.data();
  with_type(inputs.back().kind, [&]<class T>(T) {
    const auto a = static_cast<double>(convert<T>(p[0])), b = static_cast<double>(convert<T>(p[1]));
    for_each_index(output.rank, output.extent, [&](const Index& i) {
      const auto element = [&](std::size_t k) { return data[k] + offset_of(inputs[k], i); };
      char* to = out + offset_of(output, i);
      if (fn == TL_ZIP_where)
        return store(to, load<T>(load<bool>(element(0)) ? element(1) : element(2)));
      const T x = load<T>(element(0)), y = load<T>(element(1));
      const T z = inputs.size() > 2 ? load<T>(element(2)) : T(0);
      if (is_predicate(fn))
        store(to, predicate(fn, x, y));
      else if constexpr (std::is_floating_point_v<T>)
        store(to, static_cast<T>(real(fn, x, y, z, a, b)));
      else if constexpr (std::is_same_v<T, std::int64_t>)
        store(to, integer(fn, x, y, z));
    });
  });
}

}  // namespace remote
