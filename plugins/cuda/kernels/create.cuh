#pragma once

#include "elementwise.cuh"
#include "math.cuh"

/// The maps of ops.def that have no input.
namespace kernels {

struct map_fill {
  template <class T> static TL_DEVICE T apply(None, None, None, T a, T) { return a; }
};

/// a + i b, in float64 or int64 and then converted.
template <class T> TL_DEVICE T arange_at(int64_t i, double a, double b, T) {
  return Constant<T>::of(a + static_cast<double>(i) * b);
}
TL_DEVICE Int arange_at(int64_t i, double a, double b, Int) {
  return Constant<Int>::of(a) + Int{i} * Constant<Int>::of(b);
}

/// Of an output whose loops stand in row-major order, so that a position in them is the element's own.
struct CreateArguments {
  void* out;
  double params[2];
  int64_t rows, columns;  // the last two extents, for eye
  Nest<1> nest;
};

#if TL_ON_DEVICE

template <class T> struct Create {
  static TL_DEVICE void arange(const CreateArguments& g) {
    for (int64_t i = first_index(); i < g.nest.count; i += index_step())
      static_cast<T*>(g.out)[offsets_of(g.nest, i).of[0]] = arange_at(i, g.params[0], g.params[1], T());
  }

  static TL_DEVICE void eye(const CreateArguments& g) {
    const int64_t diagonal = to_int64(g.params[0]);
    for (int64_t i = first_index(); i < g.nest.count; i += index_step()) {
      const int64_t row = i / g.columns % g.rows, column = i % g.columns;
      // Differences of extents don't overflow, sums with what a caller says might.
      static_cast<T*>(g.out)[offsets_of(g.nest, i).of[0]] = Constant<T>::of(column - row == diagonal);
    }
  }
};

#endif

}  // namespace kernels
