// What gdb is asked to print, at the call of stop().
#include <torchlight/torchlight.h>

namespace tl = torchlight;

[[gnu::noinline, gnu::used]] void stop(const tl::Tensor& matrix, const tl::Tensor& transposed,
                                       const tl::Tensor& large, const tl::Tensor& mask,
                                       const tl::Tensor& half, const tl::Tensor& scalar,
                                       const tl::Tensor& empty, const tl::Tensor& undefined) {
  asm volatile("" ::"r"(&matrix), "r"(&transposed), "r"(&large), "r"(&mask) : "memory");
  asm volatile("" ::"r"(&half), "r"(&scalar), "r"(&empty), "r"(&undefined) : "memory");
}

int main() {
  tl::Tensor matrix = tl::tensor({{1.5, 2, 3}, {4, 5, -6}});
  tl::Tensor large = tl::arange(1000);
  stop(matrix, matrix.t(), large, large[0] == large.slice(0, 0, 2), matrix[0].to(tl::float16),
       tl::full({}, 0.25, {.dtype = tl::float64}), tl::zeros({0, 2}), {});
}
