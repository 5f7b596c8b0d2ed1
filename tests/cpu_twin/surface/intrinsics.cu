// Every device function of the surface is called once: a name or a type that is missing fails the build.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>

namespace cg = cooperative_groups;

template <class T> __device__ void shuffles(T* p) {
  T v = p[threadIdx.x];
  v = __shfl_sync(0xffffffffu, v, 3) + __shfl_up_sync(0xffffffffu, v, 1) +
      __shfl_down_sync(0xffffffffu, v, 2, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 1, 8);
  p[threadIdx.x] = v;
}
__global__ void all_shuffles(int* i, unsigned* u, long* l, unsigned long* ul, long long* ll,
                             unsigned long long* ull, float* f, double* d, __half* h, __half2* h2,
                             __nv_bfloat16* b, __nv_bfloat162* b2) {
  shuffles(i), shuffles(u), shuffles(l), shuffles(ul), shuffles(ll), shuffles(ull), shuffles(f),
      shuffles(d);
  shuffles(h), shuffles(h2), shuffles(b), shuffles(b2);
}

__global__ void warp(unsigned* u, int* i) {
  const unsigned m = __activemask();
  u[0] = __ballot_sync(m, i[0]) + __any_sync(m, i[1]) + __all_sync(m, i[2]) + __uni_sync(m, i[3]);
  u[1] = __match_any_sync(m, i[0]) + __match_all_sync(m, i[1], i) + __match_any_sync(m, 3ll) +
         __match_all_sync(m, 2.0 * i[2], i + 1) + __match_any_sync(m, 1.0f);
  u[2] = __reduce_add_sync(m, u[0]) + __reduce_min_sync(m, u[1]) + __reduce_max_sync(m, i[2]) +
         __reduce_and_sync(m, 7u) + __reduce_or_sync(m, u[1]) + __reduce_xor_sync(m, u[1]);
  __syncwarp();
  __syncwarp(m);
  __syncthreads();
  i[1] = __syncthreads_count(i[2]) + __syncthreads_and(i[2]) + __syncthreads_or(i[3]);
  __threadfence(), __threadfence_block(), __threadfence_system();
  i[4] = warpSize;
}

template <class T> __device__ void arithmetic_atomics(T* p, T v) {
  atomicAdd(p, v), atomicAdd_block(p, v), atomicAdd_system(p, v);
}
template <class T> __device__ void order_atomics(T* p, T v) {
  arithmetic_atomics(p, v);
  atomicMin(p, v), atomicMax(p, v), atomicMin_block(p, v), atomicMax_system(p, v);
  atomicAnd(p, v), atomicOr(p, v), atomicXor(p, v), atomicExch(p, v), atomicCAS(p, v, v + 1),
      atomicCAS_block(p, v, v);
}
__global__ void atomics(int* i, unsigned* u, unsigned long long* ull, float* f, double* d,
                        long long* ll) {
  order_atomics(i, 1), order_atomics(u, 1u), order_atomics(ull, 1ull);
  arithmetic_atomics(f, 1.0f), arithmetic_atomics(d, 1.0);
  atomicSub(i, 1), atomicSub(u, 1u), atomicExch(f, 1.0f), atomicInc(u, 7u), atomicDec(u, 7u),
      atomicMax(ll, 1ll);
  __shared__ int s;
  __shared__ float sf;
  atomicAdd(&s, 2), atomicMax(&s, 3), atomicAdd(&sf, 1.0f), atomicCAS(&s, 1, 2), atomicExch(&s, 2);
  __syncthreads();
  *i = s, *f = sf;
}
__global__ void small_atomics(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
  atomicAdd(h, __float2half(1)), atomicAdd(h2, __float2half2_rn(1)), atomicAdd(b, __float2bfloat16(1));
  atomicAdd(b2, __float2bfloat162_rn(1));
}

__global__ void bits(int* i, unsigned* u, long long* ll, unsigned long long* ull) {
  i[0] = __clz(i[0]) + __clzll(ll[0]) + __ffs(i[1]) + __ffsll(ll[1]) + __popc(u[0]) + __popcll(ull[0]);
  u[0] = __brev(u[1]) + __byte_perm(u[0], u[1], u[2]) + __funnelshift_l(u[0], u[1], u[2]) +
         __funnelshift_r(u[1], u[2], u[3]);
  u[1] = __funnelshift_lc(u[0], u[1], u[2]) + __funnelshift_rc(u[1], u[2], u[3]) +
         __umulhi(u[1], u[2]) + __umul24(u[1], u[2]);
  ull[0] = __brevll(ull[1]) + __umul64hi(ull[1], ull[2]);
  ll[0] = __mul64hi(ll[1], ll[2]);
  i[1] = __mul24(i[1], i[2]) + __mulhi(i[1], i[2]) + __dp4a(i[1], i[2], i[3]) + __hadd(i[1], i[2]) +
         __rhadd(i[1], i[2]);
  u[2] = __dp4a(u[1], u[2], u[3]) + __sad(i[1], i[2], u[1]) + __usad(u[1], u[2], u[3]) +
         __uhadd(u[1], u[2]);
  i[2] = __dp4a(make_char4(1, 2, 3, 4), make_char4(i[3], 1, 1, 1), 5);
}

#define ROUNDINGS(X) X(rn) X(rz) X(ru) X(rd)
__global__ void conversions(float* f, double* d, int* i, unsigned* u, long long* ll,
                            unsigned long long* ull) {
#define X(R)                                                                               \
  i[1] += __float2int_##R(f[0]) + __double2int_##R(d[0]);                                  \
  u[1] += __float2uint_##R(f[0]) + __double2uint_##R(d[0]);                                \
  ll[1] += __float2ll_##R(f[0]) + __double2ll_##R(d[0]);                                   \
  ull[1] += __float2ull_##R(f[0]) + __double2ull_##R(d[0]);                                \
  f[1] += __int2float_##R(i[0]) + __uint2float_##R(u[0]) + __ll2float_##R(ll[0]) +         \
          __ull2float_##R(ull[0]);                                                         \
  f[2] += __double2float_##R(d[0]);                                                        \
  d[1] += __ll2double_##R(ll[0]) + __ull2double_##R(ull[0]);                               \
  f[3] += __fadd_##R(f[0], f[1]) * __fmul_##R(f[0], f[1]) + __fmaf_##R(f[0], f[1], f[2]) + \
          __fdiv_##R(f[0], f[1]);                                                          \
  f[4] += __frcp_##R(f[0]) + __fsqrt_##R(f[0]) + __fsub_##R(f[0], f[1]);                   \
  d[3] += __dadd_##R(d[0], d[1]) * __dmul_##R(d[0], d[1]) + __fma_##R(d[0], d[1], d[2]) +  \
          __ddiv_##R(d[0], d[1]);                                                          \
  d[4] += __drcp_##R(d[0]) + __dsqrt_##R(d[0]) + __dsub_##R(d[0], d[1]);
  ROUNDINGS(X)
#undef X
  d[5] = __int2double_rn(i[0]) + __uint2double_rn(u[0]) + __hiloint2double(i[0], i[1]);
  i[2] = __float_as_int(f[0]) + __double2hiint(d[0]) + __double2loint(d[0]) + __float_as_uint(f[1]);
  f[5] = __int_as_float(i[0]) + __uint_as_float(u[0]) + __saturatef(f[0]) + __fdividef(f[0], f[1]) +
         __frsqrt_rn(f[0]);
  ll[2] = __double_as_longlong(d[0]);
  d[6] = __longlong_as_double(ll[0]) + CUDART_PI + CUDART_INF;
}

__global__ void fast_math(float* f) {
  f[0] = __expf(f[0]) + __exp10f(f[0]) + __logf(f[0]) + __log2f(f[0]) + __log10f(f[0]) + __sinf(f[0]) +
         __cosf(f[0]) + __tanf(f[0]) + __powf(f[0], f[1]) + CUDART_PI_F;
  __sincosf(f[0], f + 1, f + 2);
}

template <class T> __device__ T cached(const T* p) {
  T v = __ldg(p);
  __stcg(const_cast<T*>(p), __ldcg(p)), __stcs(const_cast<T*>(p) + 1, __ldcs(p)),
      __stwt(const_cast<T*>(p) + 2, __ldcv(p));
  __stwb(const_cast<T*>(p) + 3, __ldca(p)), __stwb(const_cast<T*>(p) + 4, __ldlu(p));
  return v;
}
template <class... T> __device__ void cached_all(T*... p) {
  (void)(int[]){(p[9] = cached((const T*)p), 0)...};
}
__global__ void caches(char* c, signed char* sc, short* s, int* i, long* l, long long* ll,
                       unsigned char* uc, unsigned short* us, unsigned* u, unsigned long* ul,
                       unsigned long long* ull, float* f, double* d, char4* c4, short2* s2, int2* i2,
                       int4* i4, uint2* u2, uint4* u4, float2* f2, float4* f4, double2* d2,
                       longlong2* l2, __half* h, __half2* h2, __nv_bfloat16* b) {
  cached_all(c, sc, s, i, l, ll, uc, us, u, ul, ull, f, d, c4, s2, i2, i4, u2, u4, f2, f4, d2, l2, h,
             h2, b);
}

__global__ void system_calls(long long* ll, unsigned* u) {
  ll[0] = clock() + clock64();
  __nanosleep(10);
  int* p = (int*)malloc(8);
  int* q = new int[3];
  *p = *q = 3;
  u[0] = __isGlobal(p) + __isShared(p) + *p + *q;
  u[1] = (unsigned)__cvta_generic_to_shared(p);
  free(p);
  delete[] q;
  if (u[0] == 7) __trap();
}

__global__ void groups(float* f, int* i, unsigned* u) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  cg::thread_group any = cg::tiled_partition(block, 16);
  f[0] = cg::reduce(warp, f[1], cg::plus<float>()) + cg::reduce(quad, f[2], cg::greater<float>());
  i[0] = cg::reduce(quad, i[1], cg::bit_and<int>()) + cg::inclusive_scan(warp, i[2]) +
         cg::exclusive_scan(quad, i[3]);
  auto active = cg::coalesced_threads();
  i[1] = active.size() + active.thread_rank() + active.shfl(i[0], 0) +
         cg::reduce(active, i[2], cg::less<int>());
  auto same = cg::labeled_partition(active, i[3]);
  u[0] = same.size() + warp.ballot(i[0]) + quad.any(i[1]) + quad.all(i[2]) + warp.match_any(i[0]) +
         quad.meta_group_rank();
  f[1] = quad.shfl(f[0], 1) + quad.shfl_down(f[0], 1) + quad.shfl_up(f[0], 1) + quad.shfl_xor(f[0], 2);
  any.sync(), warp.sync(), block.sync(), cg::sync(block);
  cg::grid_group grid = cg::this_grid();
  u[1] = grid.thread_rank() + any.thread_rank() + block.group_index().x + block.thread_index().y +
         block.size();
  grid.sync();
}
