#pragma once

#include <math.h>

// Functions of the CUDA math API that the C library lacks, for T = double (rounded to float afterwards) and long
// double (rounded to double).

namespace twin {

constexpr long double kPiL = 3.14159265358979323846264338327950288L;
constexpr long double kSqrtHalfL = 0.70710678118654752440084436210484904L;
constexpr long double kTwoOverSqrtPiL = 1.12837916709551257389615890312154517L;

/// sin(pi x): the remainder by 2 is exact, and the quarter it lies in decides which side is computed.
template <class T> T sine_of_turns(T x) {
  if (!(fabs(x) < INFINITY)) return NAN;
  const T r = remainder(x, T(2));  // [-1, 1]
  const T a = fabs(r);
  const T pi = static_cast<T>(kPiL);
  if (a == 0 || a == 1) return copysign(T(0), x);
  const T magnitude =
      a <= T(0.25) ? sin(pi * a) : (a < T(0.75) ? cos(pi * (T(0.5) - a)) : sin(pi * (1 - a)));
  return copysign(magnitude, r);
}
template <class T> T cosine_of_turns(T x) {
  if (!(fabs(x) < INFINITY)) return NAN;
  const T a = fabs(remainder(x, T(2)));
  const T pi = static_cast<T>(kPiL);
  if (a == T(0.5)) return 0;
  if (a <= T(0.25)) return cos(pi * a);
  return a < T(0.75) ? sin(pi * (T(0.5) - a)) : -cos(pi * (1 - a));
}

/// e^(x^2) erfc(x); past 10 by its asymptotic series, where the product would be infinity by zero.
template <class T> T scaled_complement(T x) {
  if (x < 10) return exp(x * x) * erfc(x);
  const T inverse = 1 / (2 * x * x);
  T term = 1, sum = 1;
  for (int n = 1; n <= 20; ++n) {
    term *= -(2 * n - 1) * inverse;
    sum += term;
  }
  return sum * static_cast<T>(kTwoOverSqrtPiL) / (2 * x);
}

/// x with erfc(x) = y, for 0 < y <= 1: a guess from erfc's tail, then Halley's steps.
template <class T> T inverse_tail(T y) {
  const T l = -log(y * (2 - y));
  const T a = T(0.147);
  const T b = 2 / (static_cast<T>(kPiL) * a) - l / 2;
  T x = sqrt(fmax(T(0), sqrt(b * b + l / a) - b));
  for (int i = 0; i < 12; ++i) {
    // The relative error of erfc, over its relative slope; e^(x^2) erfc(x) keeps both in range.
    const T scaled = scaled_complement(x);
    const T slope = static_cast<T>(kTwoOverSqrtPiL);
    const T u = (scaled - y * exp(x * x)) / slope;
    const T step = u / (1 - x * u);
    x += step;
    if (fabs(step) <= fabs(x) * T(1e-20)) break;
  }
  return x;
}

/// erf's inverse: near zero by Newton on erf itself, where 1 - y would lose digits.
template <class T> T inverse_error(T y) {
  const T a = fabs(y);
  if (!(a <= 1)) return NAN;
  if (a == 0) return y;
  if (a == 1) return copysign(T(INFINITY), y);
  if (a > T(0.5)) return copysign(inverse_tail(1 - a), y);
  T x = a / static_cast<T>(kTwoOverSqrtPiL);
  for (int i = 0; i < 8; ++i) {
    const T u = (erf(x) - a) / (static_cast<T>(kTwoOverSqrtPiL) * exp(-x * x));
    x -= u / (1 + x * u);
  }
  return copysign(x, y);
}

template <class T> T inverse_complement(T y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0) return INFINITY;
  if (y == 2) return -INFINITY;
  if (y > T(0.5) && y < T(1.5)) return inverse_error(1 - y);
  return y <= 1 ? inverse_tail(y) : -inverse_tail(2 - y);
}

/// Modified Bessel functions of the first kind, order 0 or 1: the power series, and from 30 on the asymptotic one.
template <class T> T modified_bessel(int order, T x) {
  const T a = fabs(x);
  if (!(a < INFINITY)) return order == 0 ? a : x;
  T term = 1, sum = 1, result;
  if (a < 30) {
    const T quarter = a * a / 4;
    for (int k = 1; k < 120 && term > sum * T(1e-22); ++k) {
      term *= quarter / (T(k) * (k + order));
      sum += term;
    }
    result = order == 0 ? sum : sum * a / 2;
  } else {
    const T mu = 4 * order * order;
    for (int k = 1; k < 40; ++k) {
      term *= -(mu - T(2 * k - 1) * (2 * k - 1)) / (k * 8 * a);
      if (fabs(term) < fabs(sum) * T(1e-22)) break;
      sum += term;
    }
    const T half = exp(a / 2);  // e^a alone may be infinite where the result is not
    result = half * (sum / sqrt(2 * static_cast<T>(kPiL) * a)) * half;
  }
  return order == 1 ? copysign(result, x) : result;
}

/// sqrt(x^2 + y^2 + z^2): T is wide enough that no square of the narrower type overflows or is lost.
template <class T> T norm(T x, T y, T z) {
  if (isinf(x) || isinf(y) || isinf(z)) return INFINITY;
  return sqrt(x * x + y * y + z * z);
}

}  // namespace twin
