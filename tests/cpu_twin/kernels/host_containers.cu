// What hosts take from the C++ library stands beside kernels whose functions are __noinline__, a word that the library
// uses too.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.cuh"

__device__ __noinline__ float bent(float x, float slope) { return x > 0 ? x : slope * x; }

__global__ void leaky(float* y, const float* x, float slope, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = bent(x[i], slope);
}

/// Device memory that frees itself with its last owner.
static std::shared_ptr<float> on_device(size_t count) {
  float* pointer = nullptr;
  CHECK_CUDA(cudaMalloc(&pointer, count * sizeof(float)));
  return {pointer, [](float* p) { CHECK_CUDA(cudaFree(p)); }};
}

int main() {
  const int n = 300;
  std::mt19937 random(4);
  std::uniform_real_distribution<float> values(-1.0f, 1.0f);
  std::vector<float> x(n), y(n);
  std::generate(x.begin(), x.end(), [&] { return values(random); });
  const auto d_x = on_device(n), d_y = on_device(n);
  CHECK_CUDA(cudaMemcpy(d_x.get(), x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const std::map<std::string, std::function<float(float)>> wanted = {
      {"relu", [](float v) { return std::max(v, 0.0f); }},
      {"leaky", [](float v) { return v > 0 ? v : 0.125f * v; }}};
  int wrong = wanted.size() != 2;
  for (const auto& [name, function] : wanted) {
    leaky<<<(n + 63) / 64, 64>>>(d_y.get(), d_x.get(), name == "relu" ? 0.0f : 0.125f, n);
    CHECK_CUDA(cudaMemcpy(y.data(), d_y.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += y[i] != function(x[i]);
  }
  auto counted = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = counted;
  counted.reset();
  wrong += !seen.expired();
  return verdict(wrong);
}
