#pragma once

#include "kernels/registers.h"
#include "kernels/views.h"

/// Views cut into rows: the leading axes number the rows, the trailing ones are a row's columns. Where
/// the columns lie side by side a row is used in place; otherwise it passes through a small buffer, a
/// chunk at a time, so that the kernels know one layout and give the same bits for all.
namespace cpu_simd::TL_ISA {

/// Some axes of a view, as few as describe the same walk.
struct RowAxes {
  int rank = 0;
  int64_t count = 1;  ///< where some other axis has no extent, it may have wrapped
  int64_t extent[TL_MAX_RANK];
  int64_t stride[TL_MAX_RANK];

  CPU_SIMD_INLINE void add(int64_t n, int64_t step) noexcept {
    count = static_cast<int64_t>(static_cast<uint64_t>(count) * static_cast<uint64_t>(n));
    if (n == 1) return;
    if (rank > 0 && stride[rank - 1] == step * n) {
      extent[rank - 1] *= n;
      stride[rank - 1] = step;
      return;
    }
    extent[rank] = n;
    stride[rank++] = step;
  }

  CPU_SIMD_INLINE int64_t offset(int64_t index) const noexcept {
    if (rank == 1) return index * stride[0];
    int64_t sum = 0;
    for (int d = rank - 1; d >= 0; --d) {
      sum += index % extent[d] * stride[d];
      index /= extent[d];
    }
    return sum;
  }
};

/// Columns that are taken at a time. The sums over them are rounded to T, so they are kept short: sixteen
/// terms in each lane of the four registers that sum_registers and fold_registers keep.
template <class T> constexpr int64_t chunk = 64 * lanes<T>;

template <class T> struct RowView {
  using Value = std::remove_const_t<T>;

  T* data = nullptr;  ///< NULL: the view is absent
  RowAxes rows, columns;
  bool dense = false;

  CPU_SIMD_APART RowView(const tl_view* view, uint32_t column_axes) noexcept {
    if (!view) return;
    data = data_of<T>(*view);
    const uint32_t split = view->rank - column_axes;
    for (uint32_t d = 0; d < view->rank; ++d)
      (d < split ? rows : columns).add(view->extent[d], view->stride[d]);
    dense = columns.rank == 0 || (columns.rank == 1 && columns.stride[0] == 1);
  }

  CPU_SIMD_INLINE explicit operator bool() const noexcept { return data != nullptr; }
  CPU_SIMD_INLINE T* row(int64_t i) const noexcept { return data + rows.offset(i); }

  /// Columns first … first + n - 1 ≤ chunk<Value> side by side: in place or in the buffer.
  CPU_SIMD_INLINE const T* read(const T* row, int64_t first, int64_t n, Value* buffer) const noexcept {
    return dense ? row + first : gather(row, first, n, buffer);
  }

  /// Where to write these columns, and what must follow when they are written.
  CPU_SIMD_INLINE T* place(T* row, int64_t first, T* buffer) const noexcept {
    return dense ? row + first : buffer;
  }
  CPU_SIMD_INLINE void written(T* row, int64_t first, int64_t n, const T* buffer) const noexcept {
    if (!dense) scatter(row, first, n, buffer);
  }

 private:
  CPU_SIMD_APART const T* gather(const T* row, int64_t first, int64_t n, Value* buffer) const noexcept {
    for (int64_t i = 0; i < n; ++i) buffer[i] = row[columns.offset(first + i)];
    return buffer;
  }
  CPU_SIMD_APART void scatter(T* row, int64_t first, int64_t n, const T* buffer) const noexcept {
    for (int64_t i = 0; i < n; ++i) row[columns.offset(first + i)] = buffer[i];
  }
};

/// f(first, n) for the chunks of a row.
template <class T, class F> CPU_SIMD_INLINE void for_chunks(int64_t columns, const F& f) noexcept {
  for (int64_t first = 0; first < columns; first += chunk<T>)
    f(first, least(chunk<T>, columns - first));
}

/// Rows to give to a thread at once.
constexpr int64_t row_grain(int64_t columns) noexcept { return 1 + 32768 / (columns + 1); }

}  // namespace cpu_simd::TL_ISA
