// The math of the twin over 32 lanes against long double: bit patterns from the whole range, and the edges.

#include <doctest/doctest.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support_functions.h"

namespace {

typedef long double Real;

template <class T> struct BitsOf { typedef uint32_t type; };
template <> struct BitsOf<double> { typedef uint64_t type; };

template <class T> T from_bits(uint64_t bits) {
  const auto word = static_cast<typename BitsOf<T>::type>(bits);
  T value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/// The distance of `got` from `wanted` in units of the last place that T has there; 0 where they agree as T,
/// infinite where one of them is NaN or infinite alone or a zero has the wrong sign.
template <class T> double ulps(T got, Real wanted) {
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) == std::isnan(rounded) ? 0 : INFINITY;
  if (got == rounded) return std::signbit(got) == std::signbit(rounded) ? 0 : INFINITY;
  if (std::isinf(got))
    return std::fabs(wanted) > std::numeric_limits<T>::max() * Real(0.9999998L) ? 1 : INFINITY;
  const T size = std::isinf(rounded) ? std::numeric_limits<T>::max() : std::fabs(rounded);
  const Real unit = std::fmax(static_cast<Real>(size - std::nextafter(size, T(0))),
                              static_cast<Real>(std::numeric_limits<T>::denorm_min()));
  return static_cast<double>(std::fabs(got - wanted) / unit);
}

template <class T> std::vector<T> edges() {
  typedef std::numeric_limits<T> L;
  std::vector<T> v = {0,
                      L::denorm_min(),
                      L::min() / 2,
                      L::min(),
                      L::epsilon(),
                      0.25,
                      0.5,
                      0.75,
                      1,
                      1.5,
                      2,
                      2.5,
                      3,
                      10,
                      33,
                      100,
                      1e4,
                      T(1e10),
                      T(1e30),
                      L::max(),
                      L::infinity(),
                      T(1) + L::epsilon(),
                      T(1) - L::epsilon()};
  const size_t n = v.size();
  for (size_t i = 0; i < n; ++i) v.push_back(-v[i]);
  v.push_back(L::quiet_NaN());
  return v;
}

/// The edges, then bit patterns spread over all values of T, to a multiple of 32.
template <class T> std::vector<T> samples(size_t count) {
  std::vector<T> v = edges<T>();
  uint64_t x = 0x243f6a8885a308d3;
  while (v.size() < count || v.size() % 32 != 0) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    v.push_back(from_bits<T>(sizeof(T) == 4 ? x >> 32 : x ^ (x >> 29)));
    // Every other sample from where functions bend.
    if (v.size() % 2 == 0)
      v.back() = static_cast<T>(static_cast<double>(static_cast<int64_t>(x)) * 0x1p-58);
  }
  return v;
}

struct Worst {
  double error = 0;
  double x = 0, y = 0, got = 0;
};

/// `slack` widens what counts as one unit: near the zeros of an oscillating function its relative error is large.
template <class T>
Worst worst_of(void (*function)(T*, const T*), Real (*reference)(Real), size_t count,
               double slack = 0) {
  Worst worst;
  const std::vector<T> in = samples<T>(count);
  for (size_t i = 0; i < in.size(); i += 32) {
    T out[32];
    function(out, &in[i]);
    for (int lane = 0; lane < 32; ++lane) {
      const Real wanted = reference(in[i + lane]);
      double error = ulps(out[lane], wanted);
      if (slack > 0 && std::fabs(out[lane] - wanted) <= slack) error = 0;
      if (error > worst.error) worst = {error, double(in[i + lane]), 0, double(out[lane])};
    }
  }
  return worst;
}

template <class T>
Worst worst_of_2(void (*function)(T*, const T*, const T*), Real (*reference)(Real, Real),
                 size_t count) {
  Worst worst;
  const std::vector<T> corner = edges<T>();
  std::vector<T> x, y;
  for (T a : corner) {
    for (T b : corner) x.push_back(a), y.push_back(b);
  }
  const std::vector<T> more = samples<T>(2 * count);
  for (size_t i = 0; x.size() < count || x.size() % 32 != 0; ++i) {
    x.push_back(more[2 * i % more.size()]);
    y.push_back(more[(2 * i + 3) % more.size()]);
  }
  for (size_t i = 0; i < x.size(); i += 32) {
    T out[32];
    function(out, &x[i], &y[i]);
    for (int lane = 0; lane < 32; ++lane) {
      const double error = ulps(out[lane], reference(x[i + lane], y[i + lane]));
      if (error > worst.error)
        worst = {error, double(x[i + lane]), double(y[i + lane]), double(out[lane])};
    }
  }
  return worst;
}

const Real kPi = 3.14159265358979323846264338327950288L;

Real sinpi_reference(Real x) {
  if (!(fabsl(x) < INFINITY)) return NAN;
  const Real r = remainderl(x, 2);
  const Real a = fabsl(r);
  if (a == 0 || a == 1) return copysignl(0, x);
  return copysignl(sinl(kPi * (a <= 0.5L ? a : 1 - a)), r);
}
Real cospi_reference(Real x) {
  if (!(fabsl(x) < INFINITY)) return NAN;
  const Real a = fabsl(remainderl(x, 2));
  return a == 0.5L ? 0 : sinl(kPi * (0.5L - a));
}
/// x in [low, high] where the falling or rising f is y.
template <class F> Real bisect(F f, Real low, Real high, Real y) {
  const bool rising = f(high) > f(low);
  for (int i = 0; i < 140; ++i) {
    const Real middle = (low + high) / 2;
    if ((f(middle) < y) == rising) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
Real erfinv_reference(Real y) {
  if (!(fabsl(y) <= 1)) return NAN;
  if (y == 0) return y;
  if (fabsl(y) == 1) return copysignl(INFINITY, y);
  const Real a = fabsl(y);
  const Real x = a < 1e-8L  ? a * sqrtl(kPi) / 2  // the next term is a^3
                 : a < 0.5L ? bisect([](Real t) { return erfl(t); }, 0, 1, a)
                            : bisect([](Real t) { return erfcl(t); }, 0, 100, 1 - a);
  return copysignl(x, y);
}
Real erfcinv_reference(Real y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0) return INFINITY;
  if (y == 2) return -INFINITY;
  if (y > 0.5L && y < 1.5L) return erfinv_reference(1 - y);
  return y < 1 ? bisect([](Real t) { return erfcl(t); }, 0, 110, y)
               : -bisect([](Real t) { return erfcl(t); }, 0, 110, 2 - y);
}
Real erfcx_reference(Real x) {
  if (x < 50) return expl(x * x) * erfcl(x);
  const Real i = 1 / (2 * x * x);
  return (1 - i * (1 - 3 * i * (1 - 5 * i * (1 - 7 * i * (1 - 9 * i))))) / (x * sqrtl(kPi));
}
Real normcdf_reference(Real x) { return erfcl(-x / sqrtl(2.0L)) / 2; }
Real normcdfinv_reference(Real p) { return -sqrtl(2.0L) * erfcinv_reference(2 * p); }
Real rsqrt_reference(Real x) { return 1 / sqrtl(x); }
Real rcbrt_reference(Real x) { return 1 / cbrtl(x); }
Real exp10_reference(Real x) { return powl(10, x); }
Real rhypot_reference(Real x, Real y) { return 1 / hypotl(x, y); }
Real lgamma_reference(Real x) {
  int sign;
  return lgammal_r(x, &sign);
}
template <int order> Real bessel_i_reference(Real x) {
  if (std::isnan(x)) return x;
  const Real a = fabsl(x);
  const Real r = a > 11000 ? Real(INFINITY) : std::cyl_bessel_il(order, a);
  return order == 1 && std::signbit(x) ? -r : r;
}

#define CHECK_WORST(LIMIT, WORST)                                                      \
  do {                                                                                 \
    const Worst worst = WORST;                                                         \
    INFO(#WORST << ": off by " << worst.error << " at (" << worst.x << ", " << worst.y \
                << "): " << worst.got);                                                \
    CHECK(worst.error <= (LIMIT));                                                     \
  } while (false)

constexpr size_t kMany = 1 << 18, kSome = 1 << 13, kFew = 1 << 11;

TEST_CASE("twin math: the vectorised float functions are within 2 ULP over the whole range") {
  CHECK_WORST(2, worst_of<float>(__twin_expf_32, expl, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_exp2f_32, exp2l, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_exp10f_32, exp10_reference, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_logf_32, logl, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_log2f_32, log2l, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_log10f_32, log10l, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_tanhf_32, tanhl, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_sinf_32, sinl, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_cosf_32, cosl, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_erff_32, erfl, kMany));
  CHECK_WORST(2, worst_of<float>(__twin_rsqrtf_32, rsqrt_reference, kMany));
  CHECK_WORST(2, worst_of_2<float>(__twin_powf_32, powl, kMany));
}

TEST_CASE("twin math: the approximations of PTX are as exact") {
  CHECK_WORST(2, worst_of<float>(__twin_ex2_approx_32, exp2l, kSome));
  CHECK_WORST(2, worst_of<float>(__twin_lg2_approx_32, log2l, kSome));
  CHECK_WORST(2, worst_of<float>(__twin_sin_approx_32, sinl, kSome));
  CHECK_WORST(2, worst_of<float>(__twin_cos_approx_32, cosl, kSome));
  CHECK_WORST(2, worst_of<float>(__twin_tanh_approx_32, tanhl, kSome));
  CHECK_WORST(2, worst_of<float>(__twin_rsqrt_approx_32, rsqrt_reference, kSome));
}

#define BOTH_1(NAME, REFERENCE, COUNT)                                    \
  CHECK_WORST(2, worst_of<float>(__twin_##NAME##f_32, REFERENCE, COUNT)); \
  CHECK_WORST(4, worst_of<double>(__twin_##NAME##_32, REFERENCE, COUNT))

TEST_CASE("twin math: the C library's functions of one argument") {
  BOTH_1(acos, acosl, kSome);
  BOTH_1(acosh, acoshl, kSome);
  BOTH_1(asin, asinl, kSome);
  BOTH_1(asinh, asinhl, kSome);
  BOTH_1(atan, atanl, kSome);
  BOTH_1(atanh, atanhl, kSome);
  BOTH_1(cbrt, cbrtl, kSome);
  BOTH_1(cos, cosl, kSome);
  BOTH_1(cosh, coshl, kSome);
  BOTH_1(erf, erfl, kSome);
  BOTH_1(erfc, erfcl, kSome);
  BOTH_1(exp, expl, kSome);
  BOTH_1(exp2, exp2l, kSome);
  BOTH_1(exp10, exp10_reference, kSome);
  BOTH_1(expm1, expm1l, kSome);
  BOTH_1(log, logl, kSome);
  BOTH_1(log10, log10l, kSome);
  BOTH_1(log1p, log1pl, kSome);
  BOTH_1(log2, log2l, kSome);
  BOTH_1(logb, logbl, kSome);
  BOTH_1(sin, sinl, kSome);
  BOTH_1(sinh, sinhl, kSome);
  BOTH_1(tan, tanl, kSome);
  BOTH_1(tanh, tanhl, kSome);
  CHECK_WORST(2, worst_of<float>(__twin_tgammaf_32, tgammal, kSome));
  CHECK_WORST(10, worst_of<double>(__twin_tgamma_32, tgammal, kSome));  // what glibc gives
  CHECK_WORST(2, worst_of<float>(__twin_lgammaf_32, lgamma_reference, kSome, 1e-7));
  CHECK_WORST(8, worst_of<double>(__twin_lgamma_32, lgamma_reference, kSome, 1e-14));
}

TEST_CASE("twin math: functions that the C library lacks") {
  BOTH_1(sinpi, sinpi_reference, kSome);
  BOTH_1(cospi, cospi_reference, kSome);
  BOTH_1(erfcx, erfcx_reference, kSome);
  BOTH_1(erfinv, erfinv_reference, kFew);
  BOTH_1(erfcinv, erfcinv_reference, kFew);
  BOTH_1(normcdf, normcdf_reference, kSome);
  BOTH_1(normcdfinv, normcdfinv_reference, kFew);
  BOTH_1(rcbrt, rcbrt_reference, kSome);
}

TEST_CASE("twin math: Bessel functions") {
  CHECK_WORST(2, worst_of<float>(__twin_j0f_32, j0l, kFew, 1e-9));
  CHECK_WORST(2, worst_of<float>(__twin_j1f_32, j1l, kFew, 1e-9));
  CHECK_WORST(2, worst_of<float>(__twin_y0f_32, y0l, kFew, 1e-9));
  CHECK_WORST(2, worst_of<float>(__twin_y1f_32, y1l, kFew, 1e-9));
  CHECK_WORST(4, worst_of<double>(__twin_j0_32, j0l, kFew, 1e-15));
  CHECK_WORST(4, worst_of<double>(__twin_y1_32, y1l, kFew, 1e-15));
  BOTH_1(cyl_bessel_i0, bessel_i_reference<0>, kFew);
  BOTH_1(cyl_bessel_i1, bessel_i_reference<1>, kFew);
}

#define BOTH_2(NAME, REFERENCE)                                             \
  CHECK_WORST(2, worst_of_2<float>(__twin_##NAME##f_32, REFERENCE, kSome)); \
  CHECK_WORST(2, worst_of_2<double>(__twin_##NAME##_32, REFERENCE, kSome))

TEST_CASE("twin math: functions of two arguments") {
  BOTH_2(atan2, atan2l);
  BOTH_2(hypot, hypotl);
  BOTH_2(fmod, fmodl);
  BOTH_2(remainder, remainderl);
  BOTH_2(rhypot, rhypot_reference);
  CHECK_WORST(2, worst_of_2<double>(__twin_pow_32, powl, kSome));
}

template <class R, class T> R first_of(void (*function)(R*, const T*), T x) {
  T a[32] = {x};
  R out[32];
  function(out, a);
  return out[0];
}
template <class R, class T, class U> R first_of(void (*function)(R*, const T*, const U*), T x, U y) {
  T a[32] = {x};
  U b[32] = {y};
  R out[32];
  function(out, a, b);
  return out[0];
}

TEST_CASE("twin math: functions with integers, and of three arguments") {
  CHECK(first_of(__twin_ldexpf_32, 1.5f, int32_t(-148)) == 0x1.8p-148f);
  CHECK(first_of(__twin_ldexp_32, 1.5, int32_t(1000)) == 0x1.8p1000);
  CHECK(first_of(__twin_ilogbf_32, 0x1p-140f) == -140);
  CHECK(first_of(__twin_ilogb_32, 12.0) == 3);
  CHECK(first_of(__twin_remquo_quotientf_32, 10.0f, -3.0f) == -3);
  CHECK(first_of(__twin_remquo_quotient_32, 29.0, 3.0) == 2);  // 10 modulo 8
  CHECK(first_of(__twin_nextafterf_32, 1.0f, 2.0f) == 1.0f + 0x1p-23f);
  CHECK(first_of(__twin_nextafter_32, 0.0, -1.0) == -0x1p-1074);
  CHECK(first_of(__twin_jn_32, int32_t(2), 3.0) == doctest::Approx(0.4860912605858911));
  CHECK(first_of(__twin_jnf_32, int32_t(2), 3.0f) == doctest::Approx(0.48609126));
  CHECK(first_of(__twin_yn_32, int32_t(2), 3.0) == doctest::Approx(-0.16040039348492));
  CHECK(first_of(__twin_ynf_32, int32_t(2), 3.0f) == doctest::Approx(-0.16040039));
  const float a[32] = {1e30f}, b[32] = {2e30f}, c[32] = {2e30f};
  float length[32], inverse[32];
  __twin_norm3df_32(length, a, b, c);
  __twin_rnorm3df_32(inverse, a, b, c);
  CHECK(length[0] == doctest::Approx(3e30));
  CHECK(inverse[0] == doctest::Approx(1 / 3e30));
  const double x[32] = {1e300}, y[32] = {2e300}, z[32] = {2e300};
  double wide[32], wide_inverse[32];
  __twin_norm3d_32(wide, x, y, z);
  __twin_rnorm3d_32(wide_inverse, x, y, z);
  CHECK(wide[0] == doctest::Approx(3e300));
  CHECK(wide_inverse[0] * 3e300 == doctest::Approx(1));
}

TEST_CASE("twin math: in place, as out may be an argument") {
  float x[32], y[32], twice[32];
  for (int i = 0; i < 32; ++i) x[i] = y[i] = static_cast<float>(i) * 0.5f - 4.0f;
  __twin_powf_32(twice, x, y);
  __twin_powf_32(x, x, y);
  for (int i = 0; i < 32; ++i) CHECK((x[i] == twice[i] || (std::isnan(x[i]) && std::isnan(twice[i]))));
  for (int i = 0; i < 32; ++i) x[i] = y[i];
  __twin_sinf_32(twice, x);
  __twin_sinf_32(x, x);
  CHECK(memcmp(x, twice, sizeof x) == 0);
}

/// Off by three units where x > 1.
void spoiled_expf(float* out, const float* a) {
  __twin_expf_32(out, a);
  for (int i = 0; i < 32; ++i) {
    for (int n = 0; n < 3 && a[i] > 1; ++n) out[i] = nextafterf(out[i], 0.0f);
  }
}
/// Loses the sign of zero.
void spoiled_sinf(float* out, const float* a) {
  __twin_sinf_32(out, a);
  for (int i = 0; i < 32; ++i) out[i] += 0.0f;
}

TEST_CASE("twin math: control: what is off by three units, or loses the sign of zero, is found") {
  CHECK(worst_of<float>(spoiled_expf, expl, kSome).error > 2);
  CHECK(worst_of<float>(spoiled_sinf, sinl, kSome).error > 2);
}

}  // namespace
