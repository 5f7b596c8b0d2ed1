#pragma once

#include <cstdint>
#include <initializer_list>

#include <torchlight/plugin.h>

#include "kernels/index.cuh"

/// Loops over views, as few as describe the same walk, and as kernels want them (kernels/index.cuh).
namespace cuda_backend {

/// In which order loops are walked: as memory of the first operand lies, or row by row as the axes stand.
enum class Order { memory, row_major };

/// Axes of several operands, the outermost first.
class Loops {
 public:
  static constexpr int max_operands = 5;

  explicit Loops(int operands) noexcept : operands_(operands) {}

  /// One more axis inside the others. Strides as many as there are operands.
  void add(int64_t extent, std::initializer_list<int64_t> strides) noexcept;
  /// Brings them into order and joins those that are one.
  void settle(Order order) noexcept;

  int64_t count() const noexcept { return count_; }
  int rank() const noexcept { return rank_; }
  int64_t inner_stride(int operand) const noexcept { return rank_ ? stride_[rank_ - 1][operand] : 0; }

  /// An axis, counted from the outside.
  int64_t extent(int axis) const noexcept { return extent_[axis]; }
  int64_t stride(int axis, int operand) const noexcept { return stride_[axis][operand]; }
  void remove(int axis) noexcept;

  /// May so many neighbours of these operands be taken as one element?
  bool allows_wider(int64_t factor, std::initializer_list<int> operands) const noexcept;
  void widen(int64_t factor, std::initializer_list<int> operands) noexcept;

  template <int operands> kernels::Nest<operands> nest() const noexcept {
    kernels::Nest<operands> result{};
    result.count = count_;
    result.rank = rank_;
    result.small = is_small();
    for (int d = 0; d < rank_; ++d) {
      const int from = rank_ - 1 - d;  // the innermost first
      result.extent[d] = extent_[from];
      if (result.small) result.divisor[d] = divisor(static_cast<uint32_t>(extent_[from]));
      for (int k = 0; k < operands && k < operands_; ++k) result.stride[k][d] = stride_[from][k];
    }
    return result;
  }

  /// What divides numbers below 2^31 by `value`.
  static kernels::Divisor divisor(uint32_t value) noexcept;

 private:
  bool is_small() const noexcept;
  void sort_by_memory() noexcept;
  void merge() noexcept;

  int operands_;
  int rank_ = 0;
  int64_t count_ = 1;
  int64_t extent_[TL_MAX_RANK];
  int64_t stride_[TL_MAX_RANK][max_operands];
};

/// The stride of an axis, 0 for a view that isn't there.
inline int64_t stride_of(const tl_view* view, uint32_t axis) noexcept {
  return view ? view->stride[axis] : 0;
}

}  // namespace cuda_backend
