// erf and the reciprocal square root of floats.

#include "exponentials.h"

namespace {

using namespace twin;

/// x times a polynomial in x^2 up to 1, 1 - e^-q(|x|) with a polynomial q up to 4, and 1 beyond. The coefficients
/// interpolate at Chebyshev nodes; relative errors are below 1e-9.
F64 erf(F64 x) {
  const F64 a = abs(x);
  const F64 u = x * x;
  F64 near = splat(1.0589380641075019183e-6);
  near = near * u - 0.000013909340021874598594;
  near = near * u + 0.0001195656256820732956;
  near = near * u - 0.00085426379970872296266;
  near = near * u + 0.005223783477189248115;
  near = near * u - 0.026866133235095591563;
  near = near * u + 0.11283791308604581452;
  near = near * u - 0.37612638889635306771;
  near = near * u + 1.1283791670946767327;
  const F64 t = select(a > 4.0, splat(4.0), a);
  F64 q = splat(-1.6371514145936436e-6);
  q = q * t + 4.6058042689189779e-5;
  q = q * t - 0.00059680562566077971;
  q = q * t + 0.0047595962932662646;
  q = q * t - 0.026421136005663897;
  q = q * t + 0.11008008294882025;
  q = q * t + 0.63182605155916301;
  q = q * t + 1.130233434841994;
  q = q * t - 0.00032013804967769884;
  const F64 far = select(a > 4.0, splat(1.0), 1.0 - exp(-q));
  return select(a < 1.0, x * near, with_sign_of(far, x));
}

}  // namespace

extern "C" {

void __twin_erff_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return erf(x); });
}

void __twin_rsqrtf_32(float* out, const float* a) {
  for (int i = 0; i < kWarp; ++i)
    out[i] = static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a[i])));
}
/// rsqrt.approx's name among the approximations.
void __twin_rsqrt_approx_32(float* out, const float* a) { __twin_rsqrtf_32(out, a); }

}  // extern "C"
