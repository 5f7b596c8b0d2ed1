// A kernel's clocks: nanoseconds of the world's, cycles that go on, and both in halves.
#include "check.cuh"

#include <chrono>

__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void wait(unsigned long long nanoseconds, unsigned long long* times, long long* cycles) {
  const long long first = clock64();
  const unsigned long long begin = now();
  unsigned long long end = begin;
  while (end - begin < nanoseconds) end = now();
  unsigned int low, high;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(low));
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
  times[0] = begin, times[1] = end, times[2] = (unsigned long long)high << 32 | low;
  cycles[0] = first, cycles[1] = clock64();
}

int main() {
  unsigned long long times[3], *d_times;
  long long cycles[2], *d_cycles;
  CHECK_CUDA(cudaMalloc(&d_times, sizeof times));
  CHECK_CUDA(cudaMalloc(&d_cycles, sizeof cycles));
  const auto begin = std::chrono::steady_clock::now();
  wait<<<1, 1>>>(20000000, d_times, d_cycles);
  CHECK_CUDA(cudaDeviceSynchronize());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CHECK_CUDA(cudaMemcpy(times, d_times, sizeof times, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(cycles, d_cycles, sizeof cycles, cudaMemcpyDeviceToHost));
  int wrong = seconds < 0.019;
  wrong += times[1] - times[0] < 20000000 || 1e-9 * (times[1] - times[0]) > seconds + 0.01;
  wrong += times[2] < times[1] || times[2] - times[1] > 5000000000ull;
  wrong += cycles[1] <= cycles[0];
  free_all(d_times, d_cycles);
  return verdict(wrong);
}
