// The half and bfloat16 names, in device and host code.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define BOTH __host__ __device__
template <class H> BOTH H arithmetic(H a, H b) {
  H c = a + b * a - b / a;
  c += a, c -= b, c *= a, c /= b, ++c, c = -c;
  if (a == b || a != c || a < b || a <= b || a > b || a >= c || __heq(a, b) || __hltu(a, b))
    c = __hfma(a, b, c);
  return __hadd(__hsub(a, b), __hmul(__hdiv(a, b), __hmax(__hmin(a, c), __habs(__hneg(b)))));
}
template <class P> BOTH P pairs(P a, P b) {
  P c = __hadd2(a, __hmul2(b, a)) + a * b - a / b;
  if (__hbgt2(a, b) || __hbeq2(a, c)) c = __hfma2(a, b, c);
  return __hmax2(__hmin2(a, c), __hle2(a, __habs2(__hneg2(b))));
}
__global__ void halves(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, float* f,
                       float2* f2, int* i) {
  h[0] = arithmetic(h[0], h[1]);
  b[0] = arithmetic(b[0], b[1]);
  h2[0] = pairs(h2[0], h2[1]);
  b2[0] = pairs(b2[0], b2[1]);
  h[2] = hexp(h[0]) + hlog(h[1]) + hsqrt(h[1]) + hrsqrt(h[1]) + hsin(h[0]) + hcos(h[0]) + htanh(h[1]) +
         hrcp(h[0]);
  h2[2] = h2exp(h2[0]) + h2log(h2[1]) + h2sqrt(h2[0]) + h2rcp(h2[1]);
  b[2] = hexp(b[0]);
  f[0] = __half2float(h[0]) + __low2float(h2[0]) + __high2float(h2[0]) + __bfloat162float(b[1]) +
         (float)h[3];
  f2[0] = __half22float2(h2[0]);
  f2[1] = __bfloat1622float2(b2[0]);
  h2[3] = __floats2half2_rn(f[0], f[1]);
  h2[4] = __float22half2_rn(f2[0]);
  h2[5] = __halves2half2(__low2half(h2[0]), __high2half(h2[1]));
  h2[6] = make_half2(h[0], __float2half_rz(f[1]));
  b2[3] = __floats2bfloat162_rn(f[0], f[1]);
  h[4] = __float2half(f[2]), h[5] = 1.5f, h[6] = 2.0, h[7] = 3, h[8] = f[3];
  i[0] = __half2int_rn(h[1]) + __half_as_ushort(h[2]) + (int)h[3] + __hisnan(h[4]) + (h[2] ? 1 : 0);
}
int main() { return (float)arithmetic(__float2half(1.0f), __float2half(2.0f)) == 12345.0f; }
