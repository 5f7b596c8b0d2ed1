// sm_80's reductions of a warp, by whole warps, parts of them, and warps that aren't full.
#include "check.cuh"

#include <vector>

__global__ void reduce(int* out, const int* in, unsigned mask) {
  const int t = threadIdx.x;
  if (!(mask >> (t % 32) & 1)) return;
  int* const mine = out + 8 * t;
  mine[0] = __reduce_add_sync(mask, 1);
  mine[1] = __reduce_add_sync(mask, in[t]);
  mine[2] = __reduce_min_sync(mask, in[t]);
  mine[3] = __reduce_max_sync(mask, in[t]);
  mine[4] = (int)__reduce_and_sync(mask, (unsigned)in[t] | 64u);
  mine[5] = (int)__reduce_or_sync(mask, (unsigned)in[t]);
  mine[6] = (int)__reduce_xor_sync(mask, (unsigned)in[t]);
  mine[7] = (int)__reduce_min_sync(mask, (unsigned)in[t]);
}

/// Lanes that returned before take no part.
__global__ void after_a_return(int* out, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  out[t] = __reduce_add_sync(~0u, t + 1);
}

static int wrong_with(const std::vector<int>& got, const std::vector<int>& in, int threads,
                      unsigned mask) {
  int wrong = 0;
  for (int t = 0; t < threads; ++t) {
    if (!(mask >> (t % 32) & 1)) continue;
    int want[8] = {0, 0, in[t], in[t], -1, 0, 0, in[t]};
    for (int other = t / 32 * 32; other < threads && other < t / 32 * 32 + 32; ++other) {
      if (!(mask >> (other % 32) & 1)) continue;
      const int x = in[other];
      want[0] += 1;
      want[1] += x;
      want[2] = min(want[2], x);
      want[3] = max(want[3], x);
      want[4] &= x | 64;
      want[5] |= x;
      want[6] ^= x;
      want[7] = (int)min((unsigned)want[7], (unsigned)x);
    }
    for (int k = 0; k < 8; ++k) wrong += got[8 * t + k] != want[k];
  }
  return wrong;
}

int main() {
  Noise noise(8);
  std::vector<int> in(64), got(64 * 8);
  for (int& x : in) x = (int)(1e6f * noise.next());
  int *d_in, *d_out, wrong = 0;
  CHECK_CUDA(cudaMalloc(&d_in, in.size() * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_out, got.size() * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  const auto back = [&] {
    CHECK_CUDA(cudaMemcpy(got.data(), d_out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  };
  for (const int threads : {64, 52, 20, 1}) {
    for (const unsigned mask : {~0u, 0x55555555u, 0xf0f1u}) {
      reduce<<<1, threads>>>(d_out, d_in, mask);
      back();
      wrong += wrong_with(got, in, threads, mask);
    }
  }
  if (!getenv("TWIN_CHECK")) {  // where masks are looked at, that one is wrong
    after_a_return<<<1, 32>>>(d_out, 11);
    back();
    for (int t = 0; t < 11; ++t) wrong += got[t] != 66;
  }
  free_all(d_in, d_out);
  return verdict(wrong);
}
