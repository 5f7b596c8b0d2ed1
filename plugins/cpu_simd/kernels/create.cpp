#include "kernels/elementwise.h"

#include "parallel.h"

namespace cpu_simd::TL_ISA {
namespace {

/// Calls f(address, position) for the elements first … last - 1 of the view, counted in row-major order.
template <class F>
CPU_SIMD_INLINE void each_element(const tl_view& view, int64_t first, int64_t last,
                                  const F& f) noexcept {
  const Operand operand = make_operand(view);
  const int rank = static_cast<int>(view.rank);
  int64_t index[TL_MAX_RANK] = {}, rest = first;
  char* data = operand.data;
  for (int d = rank - 1; d >= 0; --d) {
    index[d] = rest % view.extent[d];
    rest /= view.extent[d];
    data += index[d] * operand.stride[d];
  }
  for (int64_t i = first; i < last; ++i) {
    f(data, i);
    for (int d = rank - 1; d >= 0; --d) {
      data += operand.stride[d];
      if (++index[d] < view.extent[d]) break;
      data -= operand.stride[d] * view.extent[d];
      index[d] = 0;
    }
  }
}

int64_t count_of(const tl_view& view) noexcept {
  int64_t count = 1;
  for (uint32_t d = 0; d < view.rank; ++d) count *= view.extent[d];
  return count;
}

template <class T, class F> void fill_positions(const tl_view& output, const F& value) noexcept {
  parallel_ranges(count_of(output), parallel_grain, [&](int64_t first, int64_t last) noexcept {
    each_element(output, first, last, [&](char* address, int64_t i) {
      const T element = value(i);
      std::memcpy(address, &element, sizeof element);
    });
  });
}

/// Steps through the diagonal of one matrix.
template <class T>
void set_diagonal(char* matrix, const Operand& operand, const tl_view& view, int64_t offset) noexcept {
  const uint32_t column = view.rank - 1, row = column - 1;
  const T one = static_cast<T>(1);
  for (int64_t r = offset < 0 ? -offset : 0; r < view.extent[row]; ++r) {
    const int64_t c = r + offset;
    if (c >= view.extent[column]) break;
    std::memcpy(matrix + r * operand.stride[row] + c * operand.stride[column], &one, sizeof one);
  }
}

}  // namespace

void fill_arange(const tl_view& output, double start, double step) noexcept {
  switch (type_of(output.dtype)) {
    case Type::float32:
      return fill_positions<float>(
          output, [=](int64_t i) { return static_cast<float>(start + static_cast<double>(i) * step); });
    case Type::float64:
      return fill_positions<double>(output,
                                    [=](int64_t i) { return start + static_cast<double>(i) * step; });
    case Type::int64: {
      const Int a{to_int64(start)}, b{to_int64(step)};
      return fill_positions<int64_t>(output, [=](int64_t i) { return (a + Int{i} * b).value; });
    }
    case Type::boolean:
      return fill_positions<uint8_t>(
          output, [=](int64_t i) -> uint8_t { return start + static_cast<double>(i) * step != 0; });
  }
}

void fill_eye(const tl_view& output, double diagonal) noexcept {
  const double zero[TL_MAX_PARAMS] = {};
  run_elementwise(make_nest(output, nullptr, 0), find_fill(type_of(output.dtype)), zero);
  if (count_of(output) == 0) return;
  const Operand operand = make_operand(output);
  tl_view matrices = output;  // the first element of each matrix
  matrices.rank -= 2;
  const int64_t offset = to_int64(diagonal);
  if (offset <= -output.extent[output.rank - 2] || offset >= output.extent[output.rank - 1]) return;
  each_element(matrices, 0, count_of(matrices), [&](char* matrix, int64_t) {
    switch (type_of(output.dtype)) {
      case Type::float32: return set_diagonal<float>(matrix, operand, output, offset);
      case Type::float64: return set_diagonal<double>(matrix, operand, output, offset);
      case Type::int64: return set_diagonal<int64_t>(matrix, operand, output, offset);
      case Type::boolean: return set_diagonal<uint8_t>(matrix, operand, output, offset);
    }
  });
}

}  // namespace cpu_simd::TL_ISA
