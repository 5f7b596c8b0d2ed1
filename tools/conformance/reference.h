#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "case.h"
#include "dtype.h"
#include "layout.h"

/// What every operation means, as slowly and plainly as it can be written: dense row-major arrays of
/// long double, formulas as in plugin.h, ops.def and ext/. It knows no kernel and no stride.
///
/// Beside each value stands how far a result may be from it, and the reason for that bound stands
/// beside the formula. 0 means: the correctly rounded value and nothing else.
namespace torchlight::test::reference {

struct Array {
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::vector<Real> at;

  bool present() const { return !at.empty() || !shape.empty(); }
};

struct Result {
  Dtype dtype = Dtype::float32;
  Shape shape;
  std::vector<Real> value;      ///< before rounding to the dtype
  std::vector<Real> tolerance;  ///< absolute, from the rounded value
  bool signs_of_zero = false;   ///< whether +0 and -0 must be told apart

  Result() = default;
  Result(Dtype d, Shape s);
  void set(std::size_t i, Real v, Real t) { value[i] = v, tolerance[i] = t; }
};

/// A value and its bound.
struct Scalar {
  Real value;
  Real tolerance = 0;
};

/// Whether a result may stand for element i of `want`.
bool agrees(const Result& want, std::size_t i, Real got);

// Functions of ops.def. Parameters as the caller gives them; they are converted here.
Scalar map(std::uint32_t fn, Dtype dtype, Real x, std::span<const double> params);
Scalar zip(std::uint32_t fn, Dtype dtype, Real x, Real y, Real z, std::span<const double> params);

Result create(std::uint32_t fn, Dtype dtype, const Shape& shape, std::span<const double> params);
Result map(std::uint32_t fn, const Array& input, Dtype output, std::span<const double> params);
Result zip(std::uint32_t fn, const Array& x, const Array& y, const Array& z, Dtype output,
           std::span<const double> params);
Result reduce(std::uint32_t fn, const Array& input, std::uint32_t axis_mask);

struct MatmulOptions {
  double alpha = 1, beta = 0;
  std::uint32_t activation = 0;
};
/// `bias` may be absent; `output` holds what was there before and gives the shape.
Result matmul(const Array& a, const Array& b, const Array& bias, const Array& output,
              const MatmulOptions& options);

struct SoftmaxOptions {
  double scale = 1;
  bool causal = false;
  std::int64_t causal_offset = 0;
};
Result softmax(const Array& input, const Array& mask, const SoftmaxOptions& options);
Result softmax_gradient(const Array& grad, const Array& soft, double scale);

struct Layernorm {
  Result output, mean, rstd;
};
Layernorm layernorm(const Array& input, const Array& gamma, const Array& beta, double eps,
                    std::uint32_t normalized);
struct LayernormGradient {
  Result dinput, dgamma, dbeta;
};
LayernormGradient layernorm_gradient(const Array& grad, const Array& input, const Array& gamma,
                                     double eps, std::uint32_t normalized);

Result gather(const Array& source, const Array& index, std::uint32_t axis);
Result scatter_add(const Array& source, const Array& index, const Array& output, std::uint32_t axis);
Result scan(std::uint32_t fn, const Array& input, std::uint32_t axis, bool reverse);

struct RandomOptions {
  std::uint64_t seed = 0, offset = 0;
  double a = 0, b = 1;
};
Result random(std::uint32_t distribution, Dtype dtype, const Shape& shape,
              const RandomOptions& options);
/// The new parameter, and what is remembered of it; the last ones are empty where the rule has none.
struct Stepped {
  Result param, state0, state1;
};
/// params: the numbers of tl_optim_args in their order there.
Stepped optim(std::uint32_t fn, std::uint32_t flags, std::span<const double> params, const Array& param,
              const Array& grad, const Array& state0, const Array& state1);

/// Philox4x32-10, the block function.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// What the outputs of the case hold after it, by slot; empty results for inputs and absent views.
/// `operands` are the arrays before the call, by slot.
std::vector<Result> evaluate(const Case& c, const std::vector<Array>& operands);

}  // namespace torchlight::test::reference
