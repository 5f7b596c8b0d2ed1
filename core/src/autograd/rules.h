#pragma once

#include <cmath>
#include <numbers>

#include "autograd/backward.h"

/// All derivatives: one line each, in the order of ops.def, then of op.h. A row says which values its
/// gradients need, and gives them:
///
///   RULE(mul, SAVES(X1, X0), TO(0, g * x(1)) TO(1, g * x(0)))
///
/// saves, for the gradient of input 0, input 1 (X1), and the other way round. g is the incoming gradient,
/// x(i) an input, y the result, p(i) a parameter. TO sums broadcast dims and converts by itself.
namespace torchlight::autograd {

/// Which values a gradient needs.
enum Needs : unsigned { nothing = 0, X0 = 1, X1 = 2, X2 = 4, Y = 8, all_inputs = 7 };

template <class V> struct Rule {
  void (*run)(Backward<V>& b) = nullptr;
  std::array<unsigned, 3> needs{};  ///< for the gradient of inputs 0, 1 and 2 (and all after it)
};

/// Masks become numbers of the gradient's dtype.
template <class V> V as_number(const V& mask, const V& like) {
  return cast(mask, Values<V>::read(like).array.dtype());
}

/// The part of a gradient that goes to `x` where max or min chose between x and another: ties share it.
template <class V> V share(const V& wins, const V& ties, const V& g) {
  return g * (as_number(wins, g) + as_number(ties, g) * 0.5);
}

/// The gradient of logsumexp, from its result y. Not exp(x - y) alone: beside a large y the logarithm of the
/// sum is rounded away. Where y is -inf all is 0, where it is inf the largest have no gradient.
template <class V> V softmax_of(Backward<V>& b) {
  const V y = b.kept_y();
  const V terms = exp(b.x(0) - where(eq(y, -HUGE_VAL), 0.0, y));
  return terms / where(isinf(y), 1.0, sum(terms, b.at().dims, true));
}

/// The gradient of max or min over dims: shared equally among the elements that reach the extreme.
template <class V> V share_among_ties(Backward<V>& b) {
  const V ties = as_number(eq(b.x(0), b.kept_y()), b.g);
  return b.kept() * ties / sum(ties, b.at().dims, true);
}

/// d prod / d x: the product of all the others, also where some are 0.
template <class V> V product_of_others(const V& x, const Dims& dims) {
  const V is_zero = eq(x, 0);
  const V ones = where(is_zero, 1.0, x);
  const V product = prod(ones, dims, true);
  const V zeros = sum(is_zero, dims, true);
  return where(eq(zeros, 0), product / ones, where(logical_and(is_zero, eq(zeros, 1)), product, 0.0));
}

template <class V> V pow_base(const V& g, const V& x, const V& y) {
  return g * where(eq(y, 0), 0.0, y * pow(x, y - 1.0));
}

/// log(x) is -inf at 0, where x ** y stays 0 (or 1) for every y >= 0: no slope there.
template <class V> V pow_exponent(const V& g, const V& x, const V& y, const V& result) {
  return g * where(logical_and(eq(x, 0), ge(y, 0)), 0.0, result * log(x));
}

template <class V> V gelu_second(const V& x) {
  return exp(square(x) * -0.5) * (2.0 - square(x)) * (1 / std::sqrt(2 * std::numbers::pi));
}

template <class V> V gelu_tanh_second(const V& x) {
  const double k = std::sqrt(2 / std::numbers::pi), c = 0.044715;
  const V t = tanh((x + square(x) * x * c) * k);
  const V s = 1.0 - square(t), slope = (square(x) * (3 * c) + 1.0) * k;
  return s * slope + x * 0.5 * s * (x * (6 * k * c) - t * square(slope) * 2.0);
}

template <class V> V silu_second(const V& x) {
  const V s = sigmoid(x);
  return s * (1.0 - s) * (x * (1.0 - s * 2.0) + 2.0);
}

template <class V> V softplus_second(const V& x, double beta, double threshold) {
  const V s = sigmoid(x * beta);
  return where(gt(x * beta, threshold), 0.0, s * (1.0 - s) * beta);
}

/// The right operand's gradient of a @ b: where b is one matrix for a whole batch, one tall product.
template <class V> V matmul_right(const V& a, const V& g, int b_rank) {
  const Shape shape = Values<V>::read(a).array.shape();
  if (b_rank > 2 || shape.rank() == 2) return matmul(transpose(a, -2, -1), g);
  const std::int64_t columns = Values<V>::read(g).array.shape().back();
  std::int64_t rows = 1;
  for (int d = 0; d < shape.rank() - 1; ++d) rows *= shape[d];
  return matmul(transpose(reshape(a, {rows, shape.back()}), -2, -1), reshape(g, {rows, columns}));
}

inline Dims inverse_permutation(const Dims& dims) {
  Dims inverse = dims;
  for (int d = 0; d < dims.rank(); ++d) inverse[normalize_dim("permute", dims[d], dims.rank())] = d;
  return inverse;
}

template <class V> void give_layer_norm(Backward<V>& b) {
  const bool has_gamma = b.has(1);
  const V gamma = has_gamma ? b.x(1) : V();
  auto grads = layer_norm_bw(b.g, b.x(0), gamma, b.extra(0), b.extra(1), b.p(0),
                             static_cast<int>(b.at().size), {b.needs(0), b.needs(1), b.needs(2)});
  if (b.needs(0)) b.give(0, grads.input);
  if (b.needs(1)) b.give(1, grads.gamma);
  if (b.needs(2)) b.give(2, grads.beta);
}

template <class V> void give_parts(Backward<V>& b) {
  std::int64_t at = 0;
  for (int i = 0; i < b.inputs(); ++i) {
    const std::int64_t length = b.shape(i)[static_cast<int>(b.at().dim)];
    const Array& whole = Values<V>::read(b.g).array;
    const Strides dense = contiguous_strides(whole.shape());
    if (b.needs(i))
      b.give(i, window(b.g, slice_window(whole.shape(), dense, b.at().dim, at, at + length, 1)));
    at += length;
  }
}

template <class V> std::array<Rule<V>, op_count> make_rules() {
  std::array<Rule<V>, op_count> rules{};

#define RULE(name, saves, ...)                                          \
  rules[static_cast<int>(Op::name)] = {                                 \
      [](Backward<V>& b) {                                              \
        [[maybe_unused]] const V& g = b.g;                              \
        [[maybe_unused]] const auto x = [&b](int i) { return b.x(i); }; \
        [[maybe_unused]] const auto p = [&b](int i) { return b.p(i); }; \
        __VA_ARGS__                                                     \
      },                                                                \
      saves};
#define SAVES(...) \
  { __VA_ARGS__ }
#define TO(i, ...) \
  if (b.needs(i)) b.give(i, __VA_ARGS__);
#define y b.y()

  // ---- map
  RULE(copy, SAVES(nothing), TO(0, g))
  RULE(neg, SAVES(nothing), TO(0, -g))
  RULE(abs, SAVES(X0), TO(0, g * sign(x(0))))
  RULE(sign, SAVES(nothing), TO(0, b.zeros(0)))
  RULE(square, SAVES(X0), TO(0, g * x(0) * 2.0))
  RULE(reciprocal, SAVES(Y), TO(0, -(g * square(y))))
  RULE(sqrt, SAVES(Y), TO(0, g / (y * 2.0)))
  RULE(rsqrt, SAVES(Y), TO(0, g * (square(y) * y) * -0.5))
  RULE(floor, SAVES(nothing), TO(0, b.zeros(0)))
  RULE(ceil, SAVES(nothing), TO(0, b.zeros(0)))
  RULE(round, SAVES(nothing), TO(0, b.zeros(0)))
  RULE(exp, SAVES(Y), TO(0, g * y))
  RULE(log, SAVES(X0), TO(0, g / x(0)))
  RULE(sin, SAVES(X0), TO(0, g * cos(x(0))))
  RULE(cos, SAVES(X0), TO(0, -(g * sin(x(0)))))
  RULE(erf, SAVES(X0), TO(0, g * (exp(-square(x(0))) * (2 * std::numbers::inv_sqrtpi))))
  RULE(tanh, SAVES(Y), TO(0, tanh_bw(g, y)))
  RULE(sigmoid, SAVES(Y), TO(0, sigmoid_bw(g, y)))
  RULE(relu, SAVES(Y), TO(0, relu_bw(g, y)))
  RULE(gelu, SAVES(X0), TO(0, gelu_bw(g, x(0))))
  RULE(gelu_tanh, SAVES(X0), TO(0, gelu_tanh_bw(g, x(0))))
  RULE(silu, SAVES(X0), TO(0, silu_bw(g, x(0))))
  RULE(leaky_relu, SAVES(X0), TO(0, leaky_relu_bw(g, x(0), p(0))))
  RULE(softplus, SAVES(X0), TO(0, softplus_bw(g, x(0), p(0), p(1))))
  RULE(clamp, SAVES(X0), TO(0, clamp_bw(g, x(0), p(0), p(1))))
  RULE(add_scalar, SAVES(nothing), TO(0, g))
  RULE(rsub_scalar, SAVES(nothing), TO(0, -g))
  RULE(mul_scalar, SAVES(nothing), TO(0, g * p(0)))
  RULE(div_scalar, SAVES(nothing), TO(0, g / p(0)))
  RULE(rdiv_scalar, SAVES(X0 | Y), TO(0, -(g * y / x(0))))
  RULE(pow_scalar, SAVES(X0), TO(0, p(0) == 0 ? b.zeros(0) : g * (pow(x(0), p(0) - 1) * p(0))))
  RULE(rpow_scalar, SAVES(Y), TO(0, p(0) == 0 ? b.zeros(0) : g * y * std::log(p(0))))

  // ---- zip
  RULE(add, SAVES(nothing), TO(0, g) TO(1, g))
  RULE(sub, SAVES(nothing), TO(0, g) TO(1, -g))
  RULE(mul, SAVES(X1, X0), TO(0, g * x(1)) TO(1, g * x(0)))
  RULE(div, SAVES(X1, X1 | Y), TO(0, g / x(1)) TO(1, -(g * y / x(1))))
  RULE(pow, SAVES(X0 | X1, X0 | X1 | Y),
       TO(0, pow_base(g, x(0), x(1))) TO(1, pow_exponent(g, x(0), x(1), y)))
  RULE(maximum, SAVES(X0 | X1, X0 | X1),
       TO(0, share(gt(x(0), x(1)), eq(x(0), x(1)), g)) TO(1, share(gt(x(1), x(0)), eq(x(0), x(1)), g)))
  RULE(minimum, SAVES(X0 | X1, X0 | X1),
       TO(0, share(lt(x(0), x(1)), eq(x(0), x(1)), g)) TO(1, share(lt(x(1), x(0)), eq(x(0), x(1)), g)))
  RULE(where, SAVES(nothing, X0, X0), TO(1, where(x(0), g, 0.0)) TO(2, where(x(0), 0.0, g)))
  RULE(clamp_tensor, SAVES(all_inputs, all_inputs, all_inputs),
       TO(0, g * as_number(logical_and(ge(x(0), x(1)), le(x(0), x(2))), g))
           TO(1, g * as_number(logical_and(lt(x(0), x(1)), le(x(1), x(2))), g))
               TO(2, g * as_number(logical_or(gt(x(0), x(2)), gt(x(1), x(2))), g)))
  RULE(addcmul, SAVES(nothing, X2, X1), TO(0, g) TO(1, g * x(2) * p(0)) TO(2, g * x(1) * p(0)))

  // ---- zip: derivatives of the derivatives above; their first input is a gradient
  RULE(relu_bw, SAVES(X1, nothing), TO(0, relu_bw(g, x(1))))
  RULE(sigmoid_bw, SAVES(X1, X0 | X1), TO(0, sigmoid_bw(g, x(1))) TO(1, g * x(0) * (1.0 - x(1) * 2.0)))
  RULE(tanh_bw, SAVES(X1, X0 | X1), TO(0, tanh_bw(g, x(1))) TO(1, g * x(0) * x(1) * -2.0))
  RULE(gelu_bw, SAVES(X1, X0 | X1), TO(0, gelu_bw(g, x(1))) TO(1, g * x(0) * gelu_second(x(1))))
  RULE(gelu_tanh_bw, SAVES(X1, X0 | X1),
       TO(0, gelu_tanh_bw(g, x(1))) TO(1, g * x(0) * gelu_tanh_second(x(1))))
  RULE(silu_bw, SAVES(X1, X0 | X1), TO(0, silu_bw(g, x(1))) TO(1, g * x(0) * silu_second(x(1))))
  RULE(leaky_relu_bw, SAVES(X1, nothing), TO(0, leaky_relu_bw(g, x(1), p(0))))
  RULE(softplus_bw, SAVES(X1, X0 | X1),
       TO(0, softplus_bw(g, x(1), p(0), p(1))) TO(1, g * x(0) * softplus_second(x(1), p(0), p(1))))
  RULE(clamp_bw, SAVES(X1, nothing), TO(0, clamp_bw(g, x(1), p(0), p(1))))

  // ---- reduce
  RULE(sum, SAVES(nothing), TO(0, expand(b.kept(), b.shape(0))))
  RULE(prod, SAVES(X0), TO(0, b.kept() * product_of_others(x(0), b.at().dims)))
  RULE(max, SAVES(X0 | Y), TO(0, share_among_ties(b)))
  RULE(min, SAVES(X0 | Y), TO(0, share_among_ties(b)))
  RULE(std, SAVES(X0 | Y),
       TO(0, b.kept() * where(eq(b.kept_y(), 0), 0.0,
                              (x(0) - mean(x(0), b.at().dims, true)) / (b.kept_y() * p(0)))))
  RULE(logsumexp, SAVES(X0 | Y), TO(0, b.kept() * softmax_of(b)))
  RULE(norm, SAVES(X0 | Y), TO(0, b.kept() * where(eq(b.kept_y(), 0), 0.0, x(0) / b.kept_y())))
  RULE(scan, SAVES(nothing), TO(0, scan(TL_REDUCE_sum, g, b.at().dim, !b.at().reverse)))

  // ---- products and fused
  RULE(matmul, SAVES(X1, X0),
       TO(0, matmul(g, transpose(x(1), -2, -1))) TO(1, matmul_right(x(0), g, b.rank(1))))
  RULE(attn_softmax, SAVES(Y, Y), TO(0, attn_softmax_bw(g, y, p(0))) TO(1, attn_softmax_bw(g, y, 1.0)))
  RULE(log_softmax, SAVES(Y), TO(0, g - exp(y) * sum(g, b.at().dim, true)))
  RULE(layer_norm, SAVES(X0 | X1, X0 | X1, X0 | X1), give_layer_norm(b);)

  // ---- layout
  RULE(reshape, SAVES(nothing), TO(0, reshape(g, b.shape(0))))
  RULE(permute, SAVES(nothing), TO(0, permute(g, inverse_permutation(b.at().dims))))
  RULE(expand, SAVES(nothing), TO(0, g))
  RULE(window, SAVES(nothing), TO(0, replace_window(b.blank(0), g, b.at().window)))
  RULE(replace_window, SAVES(nothing, nothing),
       TO(0, replace_window(g, b.blank(1), b.at().window)) TO(1, window(g, b.at().window)))
  RULE(unfold, SAVES(nothing),
       TO(0, fold(g, b.at().dim, b.shape(0)[static_cast<int>(b.at().dim)], b.at().step)))
  RULE(fold, SAVES(nothing), TO(0, unfold(g, b.at().dim, b.shape(0).back(), b.at().step)))
  RULE(cat, SAVES(nothing, nothing, nothing), give_parts(b);)
  RULE(transfer, SAVES(nothing), TO(0, to(g, b.meta(0).device())))

  // ---- by index; the index itself has no gradient
  RULE(gather, SAVES(X1), TO(0, scatter_add(b.blank(0), b.at().dim, x(1), g)))
  RULE(scatter_add, SAVES(nothing, nothing, X1), TO(0, g) TO(2, gather(g, b.at().dim, x(1))))

#undef y
#undef TO
#undef SAVES
#undef RULE
  return rules;
}

template <class V> const Rule<V>& rule_of(Op op) {
  static const std::array<Rule<V>, op_count> rules = make_rules<V>();
  return rules[static_cast<int>(op)];
}

}  // namespace torchlight::autograd
