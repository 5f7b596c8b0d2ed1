// Compares the kernel with a plain loop.
#include <cmath>
#include <cstdio>
#include <vector>

extern "C" void attn_softmax_fw(float* out, const float* in, const float* mask, int rows, int cols);

int main() {
  const int rows = 5, cols = 300;
  std::vector<float> in(rows * cols), mask(rows * cols), out(rows * cols);
  for (int i = 0; i < rows * cols; ++i) in[i] = std::sin(0.1f * i), mask[i] = i % 7 == 0 ? -1e30f : 0;
  attn_softmax_fw(out.data(), in.data(), mask.data(), rows, cols);

  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += std::exp((double)in[r * cols + c] + mask[r * cols + c]);
    for (int c = 0; c < cols; ++c) {
      const double right = std::exp((double)in[r * cols + c] + mask[r * cols + c]) / sum;
      worst = std::fmax(worst, std::fabs(out[r * cols + c] - right));
    }
  }
  std::printf("the largest error is %g\n", worst);
  return worst < 1e-6 ? 0 : 1;
}
