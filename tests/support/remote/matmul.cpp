#include <algorithm>

#include "kernels.h"

namespace remote {
namespace {

/// One row of the output: the scratch memory holds it in double.
template <class T>
void row(const char* a, const char* b, char* c, const Operand& left, const Operand& right,
         const Operand& output, double alpha, double beta, double* scratch) {
  const std::uint32_t last = output.rank - 1;
  const std::int64_t n = output.extent[last], k = left.extent[last];
  std::fill(scratch, scratch + n, 0.0);
  for (std::int64_t p = 0; p < k; ++p) {
    const double factor = load<T>(a + p * left.stride[last] * left.item);
    const char* line = b + p * right.stride[last - 1] * right.item;
    for (std::int64_t j = 0; j < n; ++j)
      scratch[j] += factor * double(load<T>(line + j * right.stride[last] * right.item));
  }
  for (std::int64_t j = 0; j < n; ++j) {
    char* to = c + j * output.stride[last] * output.item;
    const double before = beta == 0 ? 0 : beta * double(load<T>(to));
    store(to, static_cast<T>(alpha * scratch[j] + before));
  }
}

}  // namespace

void run_matmul(const Operand& a, const Operand& b, const Operand& output, double alpha, double beta,
                double* scratch) {
  const std::uint32_t last = output.rank - 1;
  const char* left = a.data();
  const char* right = b.data();
  char* out = output.data();
  Index rows = output.extent;
  if (rows[last] == 0) return;
  rows[last] = 1;
  with_type(output.kind, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      for_each_index(output.rank, rows, [&](const Index& i) {
        Index batch = i;
        batch[last - 1] = 0;
        row<T>(left + offset_of(a, i), right + offset_of(b, batch), out + offset_of(output, i), a, b,
               output, alpha, beta, scratch);
      });
  });
}

}  // namespace remote
