#pragma once

#include "math.cuh"

/// gelu and its derivative: the normal distribution's tail with full relative accuracy. Phi(-x) is taken as
/// G(x) e^(-x^2/2), G by a polynomial in u = (x - k) / (x + k).
namespace kernels {

/// What a product lost by rounding: a * b - p.
TL_DEVICE double product_error(double a, double b, double p) { return fma(a, b, -p); }

struct TwoDoubles {
  double high, low;
};

/// u v + c and what its two roundings lost.
TL_DEVICE TwoDoubles horner_step(double u, double v, double c) {
  const double product = u * v, sum = product + c, back = sum - product;
  return {sum, ((product - (sum - back)) + (c - back)) + product_error(u, v, product)};
}

TL_DEVICE double tail_series(double u) {
  return polynomial(
      u, 0x1.db6af8722ce6ep-4, -0x1.4b4ce479f83fdp-4, 0x1.8807f29ff7bbep-5, -0x1.7f9d043772751p-6,
      0x1.26a1153b2da10p-7, -0x1.37ccc56e3d154p-9, 0x1.cc6e6734f478ep-13, 0x1.199955152c70dp-13,
      -0x1.fae6fe6144c5cp-15, 0x1.020bea57b1354p-20, 0x1.bde52143b24f6p-18, -0x1.54edbf00268a1p-20,
      -0x1.6a564fe7166d9p-21, 0x1.05470e07a4acdp-22, 0x1.49e8b2396648bp-24, -0x1.50b11dc1b6559p-25,
      -0x1.6ed16996c5afcp-27, 0x1.8c727ec5fee53p-28, 0x1.bede4e66a0ddfp-30, -0x1.63beb643f20ddp-31,
      -0x1.8473743066efbp-33, 0x1.eadcd5d8ca48ap-36);
}

/// G(x). Rounding of u would cost several places; what it lost is put back by G' = x G - 1 / sqrt(2 pi).
TL_DEVICE TwoDoubles scaled_tail(double x) {
  constexpr double k = 5, first = 0x1.3b0fbcb4c77bep-4, second = -0x1.25cd1321c8cb5p-3;
  const double above = x + k, below = x - k, u = below / above;
  const double above_lost = x - (above - k), below_lost = x - (below + k), product = u * above;
  const double residual =
      ((below - product) - product_error(u, above, product)) + fma(-u, above_lost, below_lost);
  const TwoDoubles others = horner_step(u, tail_series(u), second);
  const TwoDoubles sum = horner_step(u, others.high, first);
  const double lost = fma(u, others.low, sum.low), slope = fma(x, sum.high, -0.39894228040143267794);
  return {sum.high, fma(residual * above * (0.5 / k), slope, lost)};
}

/// e^x = (1 + r + t) 2^n: kept apart, so that the next product is the first to round.
struct Exponential {
  double r, t;
  int n;

  TL_DEVICE double power() const { return (1 + r) + t; }
};

/// Of x + low, for x from -800 to 0 and a low that is far below x.
TL_DEVICE Exponential exponential(double x, double low) {
  const double n = rint(x * 0x1.71547652b82fep+0), r = fma(-n, 0x1.62e42fefap-1, x);
  const double c = fma(n, 0x1.cf79abc9e3b3ap-40, -low), rest = r - c;
  const double series = polynomial(rest, 0x1.0000000000000p-1, 0x1.5555555555559p-3,
                                   0x1.555555555554cp-5, 0x1.111111110f653p-7, 0x1.6c16c16c1b24ep-10,
                                   0x1.a01a01b004cd9p-13, 0x1.a01a018b8a711p-16, 0x1.71ddf80ae4c15p-19,
                                   0x1.27e518e83135cp-22, 0x1.af5f361fa18dcp-26, 0x1.1f112b249cf42p-29);
  return {r, fma(rest * rest, series, -c), static_cast<int>(n)};
}

/// 2^n for n from -1022 to 1023.
TL_DEVICE double power_of_two(int n) { return bits_as<double>(static_cast<uint64_t>(n + 1023) << 52); }

/// x 2^n, rounded once, for n from -2044 to 0: the first product is exact.
TL_DEVICE double scaled(double x, int n) {
  const int half = n / 2;
  return x * power_of_two(half) * power_of_two(n - half);
}

/// Phi(-x) = (tail + rest) 2^n and e^(-x^2/2) = power 2^n for x >= 0, bounded where nothing is left.
struct NormalTail {
  double x, tail, rest, power;
  int n;
};

/// x^2 is taken in two parts, since the exponential magnifies what rounding loses.
TL_DEVICE NormalTail normal_tail(double x) {
  const double square = x * x;
  const Exponential e = exponential(-0.5 * square, -0.5 * product_error(x, x, square));
  const TwoDoubles g = scaled_tail(x);
  return {x, g.high, fma(g.high, e.r + e.t, g.low), e.power(), e.n};
}

/// x Phi(x): Phi(-|x|) times x is what is there below 0 and what is missing above.
TL_DEVICE double gelu_of(double x) {
  if (is_nan(x)) return x;
  const NormalTail t = normal_tail(bounded(x, 39.0));
  const double signed_x = x < 0 ? -t.x : t.x, product = signed_x * t.tail;
  const double lost = product_error(signed_x, t.tail, product);
  const double below = scaled(product + fma(signed_x, t.rest, lost), t.n);
  return x <= 0 ? below : x - below;
}

/// Phi(x) + x phi(x).
TL_DEVICE double gelu_derivative(double x) {
  if (is_nan(x)) return x;
  const NormalTail t = normal_tail(bounded(x, 39.0));
  const double density = t.x * 0.39894228040143267794 * t.power;
  const double below = scaled((t.tail + t.rest) - density, t.n);
  return x <= 0 ? below : 1 - below;
}

/// The same in float64 with float32's accuracy: float32's own arithmetic can't keep two places here.
struct ShortTail {
  double x, tail, power;
};

TL_DEVICE ShortTail short_tail(double x) {
  const double exponent = x * x * (-0.5 * 0x1.71547652b82fep+0), n = rint(exponent), r = exponent - n;
  const double series = polynomial(r, 0x1.62e430af622fdp-1, 0x1.ebfbdc7e4effbp-3, 0x1.c6aee8be69501p-5,
                                   0x1.3b2d25521555ep-7, 0x1.5f3e33f8406b4p-10, 0x1.4212dcc2f4189p-13);
  const double power = fma(r, series, 1.0) * power_of_two(static_cast<int>(n));
  const double g = polynomial((x - 3.5) / (x + 3.5), 0x1.b396f9d1dba54p-4, -0x1.7f4318ea04e31p-3,
                              0x1.01c0655da34f6p-3, -0x1.f8f35f6824aeap-5, 0x1.385f572c525dap-6,
                              -0x1.992d981d36128p-10, -0x1.6a386e2ba02bdp-10, 0x1.9731c8639d391p-12,
                              0x1.1830919375cf8p-13, -0x1.a313931a4a984p-15, -0x1.4994bb77fdb35p-16);
  return {x, g * power, power};
}

TL_DEVICE float gelu_of(float x) {
  if (is_nan(x)) return x;
  const double wide = x;
  const ShortTail t = short_tail(bounded(wide, 15.0));
  const double product = t.x * t.tail;
  return static_cast<float>(x <= 0 ? -product : wide - product);
}

TL_DEVICE float gelu_derivative(float x) {
  if (is_nan(x)) return x;
  const ShortTail t = short_tail(bounded(static_cast<double>(x), 15.0));
  const double below = t.tail - t.x * 0.39894228040143267794 * t.power;
  return static_cast<float>(x <= 0 ? below : 1 - below);
}

}  // namespace kernels
