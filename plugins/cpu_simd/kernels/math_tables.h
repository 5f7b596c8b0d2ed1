#pragma once

#include "kernels/simd.h"

/// Constants of math.h. Polynomials are minimax fits of our own, rounded to the type, lowest power first;
/// the remark gives their relative error.
namespace cpu_simd::TL_ISA {

template <class T> struct Table;

template <> struct Table<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr float bias = 127, whole = 0x1p23f, round_shift = 0x1.8p23f;
  static constexpr float smallest_normal = 0x1p-126f, log2e = 0x1.715476p+0f;
  /// ln 2 in two parts, n times the first is exact for |n| < 512.
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  /// Beyond these exp is infinite or 0.
  static constexpr float exp_high = 89, exp_low = -104;
  /// 2 sqrt(2 / pi), and that times 0.044715, each in two parts.
  static constexpr float gelu_linear = 0x1.988454p+0f, gelu_linear_low = -0x1.857936p-25f;
  static constexpr float gelu_cubic = 0x1.2444f2p-4f, gelu_cubic_low = 0x1.49b16ap-29f;

  /// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2: 2^-28 of e^r.
  static constexpr float exp[] = {0x1.fffffcp-2f, 0x1.55548ep-3f, 0x1.5558a6p-5f, 0x1.123bdep-7f,
                                  0x1.6a592ap-10f};
  /// (ln(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2): 2^-30 of the logarithm.
  static constexpr float log[] = {0x1.555548p-2f,  -0x1.00000ep-2f, 0x1.99a47p-3f,
                                  -0x1.5558c8p-3f, 0x1.2339d8p-3f,  -0x1.fca04cp-4f,
                                  0x1.e74c98p-4f,  -0x1.db78cep-4f, 0x1.10352cp-4f};
  /// erf(x) / x - 1 in x^2 for |x| <= erf_split: 2^-27.
  static constexpr float erf_split = 0.85f;
  static constexpr float erf[] = {0x1.06eba8p-3f,  -0x1.812724p-2f, 0x1.ce251p-4f,
                                  -0x1.b730a8p-6f, 0x1.4b561ap-8f,  -0x1.4c4e94p-11f};
  /// ln(1 - erf(x)) for x from there to 4, where erf is 1: 2^-28 of erf.
  static constexpr float erfc_log[] = {-0x1.b66c1cp-14f, -0x1.20c8a4p+0f, -0x1.45e588p-1f,
                                       -0x1.ac26d8p-4f,  0x1.70fe3p-6f,   -0x1.98c854p-9f,
                                       0x1.ab696ep-13f};
  /// (tanh(x) / x - 1) / x^2 in x^2 for |x| <= tanh_split: 2^-29.
  static constexpr float tanh_split = 0.55f;
  static constexpr float tanh[] = {-0x1.55554ap-2f, 0x1.110cfcp-3f, -0x1.b92268p-5f, 0x1.590fcep-6f,
                                   -0x1.9a449ep-8f};
  /// sin and cos for |r| <= pi / 4: (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4, in r^2.
  static constexpr float sin[] = {-0x1.555546p-3f, 0x1.11077ap-7f, -0x1.9954a8p-13f};
  static constexpr float cos[] = {0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e818p-16f};
};

template <> struct Table<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr double bias = 1023, whole = 0x1p52, round_shift = 0x1.8p52;
  static constexpr double smallest_normal = 0x1p-1022, log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b3ap-40;
  static constexpr double exp_high = 710, exp_low = -746;
  /// 2 sqrt(2 / pi), and that times 0.044715, each in two parts.
  static constexpr double gelu_linear = 0x1.9884533d43651p+0, gelu_linear_low = -0x1.cbc0d30ebfd15p-54;
  static constexpr double gelu_cubic = 0x1.2444f2a4d8b4bp-4, gelu_cubic_low = -0x1.6c843a29d1c70p-61;

  /// 2^-62.
  static constexpr double exp[] = {0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.555555555554cp-5,
                                   0x1.111111110f653p-7,  0x1.6c16c16c1b24ep-10, 0x1.a01a01b004cd9p-13,
                                   0x1.a01a018b8a711p-16, 0x1.71ddf80ae4c15p-19, 0x1.27e518e83135cp-22,
                                   0x1.af5f361fa18dcp-26, 0x1.1f112b249cf42p-29};
  /// (ln((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, for the same range as above: 2^-66.
  static constexpr double log[] = {0x1.5555555555555p-1, 0x1.9999999999d0ap-2, 0x1.249249243a379p-2,
                                   0x1.c71c724a7f1f2p-3, 0x1.745ce211aab98p-3, 0x1.3b2018475ca27p-3,
                                   0x1.0f68500b76481p-3, 0x1.0f049e8f1b2cap-3};
  static constexpr double erf_split = 1;
  static constexpr double erf_end = 6;
  /// 2^-56.
  static constexpr double erf[] = {
      0x1.06eba8214db69p-3,  -0x1.812746b0379fdp-2,  0x1.ce2f21a043610p-4,  -0x1.b82ce312ab105p-6,
      0x1.565bcd126e85ep-8,  -0x1.c02db4925fa93p-11, 0x1.f9a33427b1574p-14, -0x1.f4d31e01e8302p-17,
      0x1.b9ed7838a22f5p-20, -0x1.5f8e81cd6c4f1p-23, 0x1.fc0f8d6e1385bp-27, -0x1.453176b278f1dp-30,
      0x1.25fe155eb9f91p-34};
  /// 2^-60.
  static constexpr double tanh_split = 0.55;
  static constexpr double tanh[] = {
      -0x1.555555555554fp-2,  0x1.1111111110788p-3,  -0x1.ba1ba1b97c0f5p-5,  0x1.664f48591735ep-6,
      -0x1.226e2f08c1b4dp-7,  0x1.d6d299b9a10bap-9,  -0x1.7d8fbbb2046dap-10, 0x1.3482ea67f412ap-11,
      -0x1.e9680b097576ap-13, 0x1.5d5e6cdf8baa1p-14, -0x1.46db82fd9bc1fp-16};
  /// G(x) = Phi(-x) e^(x^2/2) in (x - k) / (x + k) for x from 0 to tail_end, where Phi is the normal
  /// distribution: 2^-54.
  static constexpr double tail_k = 5, tail_end = 39;
  static constexpr double tail_first = 0x1.3b0fbcb4c77bep-4,
                          tail_second = -0x1.25cd1321c8cb5p-3;  // and then
  static constexpr double tail[] = {
      0x1.db6af8722ce6ep-4,   -0x1.4b4ce479f83fdp-4, 0x1.8807f29ff7bbep-5,  -0x1.7f9d043772751p-6,
      0x1.26a1153b2da10p-7,   -0x1.37ccc56e3d154p-9, 0x1.cc6e6734f478ep-13, 0x1.199955152c70dp-13,
      -0x1.fae6fe6144c5cp-15, 0x1.020bea57b1354p-20, 0x1.bde52143b24f6p-18, -0x1.54edbf00268a1p-20,
      -0x1.6a564fe7166d9p-21, 0x1.05470e07a4acdp-22, 0x1.49e8b2396648bp-24, -0x1.50b11dc1b6559p-25,
      -0x1.6ed16996c5afcp-27, 0x1.8c727ec5fee53p-28, 0x1.bede4e66a0ddfp-30, -0x1.63beb643f20ddp-31,
      -0x1.8473743066efbp-33, 0x1.eadcd5d8ca48ap-36};
};

/// For float32 results that are computed in float64: as above, shorter.
struct ShortTable {
  static constexpr double tail_k = 3.5, tail_end = 15;
  /// 2^-29.
  static constexpr double tail[] = {
      0x1.b396f9d1dba54p-4,  -0x1.7f4318ea04e31p-3,  0x1.01c0655da34f6p-3,   -0x1.f8f35f6824aeap-5,
      0x1.385f572c525dap-6,  -0x1.992d981d36128p-10, -0x1.6a386e2ba02bdp-10, 0x1.9731c8639d391p-12,
      0x1.1830919375cf8p-13, -0x1.a313931a4a984p-15, -0x1.4994bb77fdb35p-16};
  /// (2^r - 1) / r for |r| <= 1/2: 2^-29 of 2^r.
  static constexpr double exp2[] = {0x1.62e430af622fdp-1, 0x1.ebfbdc7e4effbp-3,  0x1.c6aee8be69501p-5,
                                    0x1.3b2d25521555ep-7, 0x1.5f3e33f8406b4p-10, 0x1.4212dcc2f4189p-13};
};

}  // namespace cpu_simd::TL_ISA
