#include "nest_plan.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuda_backend {
namespace {

int64_t magnitude(int64_t x) noexcept { return x < 0 ? -x : x; }

}  // namespace

void Loops::add(int64_t extent, std::initializer_list<int64_t> strides) noexcept {
  count_ = static_cast<int64_t>(static_cast<uint64_t>(count_) * static_cast<uint64_t>(extent));
  if (extent == 1) return;
  extent_[rank_] = extent;
  std::copy(strides.begin(), strides.end(), stride_[rank_]);
  ++rank_;
}

void Loops::settle(Order order) noexcept {
  for (int d = 0; d < rank_; ++d)
    if (extent_[d] == 0) count_ = 0;  // with another extent it may have wrapped around
  if (order == Order::memory) sort_by_memory();
  merge();
}

/// The largest stride of the first operand outermost; where it repeats an element, the next operand decides.
void Loops::sort_by_memory() noexcept {
  const auto is_outer = [this](int a, int b) {
    for (int k = 0; k < operands_; ++k) {
      const int64_t x = magnitude(stride_[a][k]), y = magnitude(stride_[b][k]);
      if (x != y) return x > y;
    }
    return false;
  };
  for (int i = 1; i < rank_; ++i)
    for (int j = i; j > 0 && is_outer(j, j - 1); --j) {
      std::swap(extent_[j - 1], extent_[j]);
      std::swap(stride_[j - 1], stride_[j]);
    }
}

void Loops::merge() noexcept {
  int kept = 0;
  for (int d = 1; d < rank_; ++d) {
    bool is_one = true;
    for (int k = 0; k < operands_; ++k) is_one &= stride_[kept][k] == stride_[d][k] * extent_[d];
    if (is_one) {
      extent_[kept] *= extent_[d];
    } else {
      extent_[++kept] = extent_[d];
    }
    std::copy_n(stride_[d], operands_, stride_[kept]);
  }
  if (rank_ > 0) rank_ = kept + 1;
}

void Loops::remove(int axis) noexcept {
  count_ /= extent_[axis];
  --rank_;
  for (int d = axis; d < rank_; ++d) {
    extent_[d] = extent_[d + 1];
    std::copy_n(stride_[d + 1], operands_, stride_[d]);
  }
}

bool Loops::is_small() const noexcept {
  constexpr int64_t limit = int64_t{1} << 31;
  if (count_ >= limit) return false;
  for (int k = 0; k < operands_; ++k) {
    int64_t reach = 0;
    for (int d = 0; d < rank_ && count_ > 0; ++d) reach += (extent_[d] - 1) * magnitude(stride_[d][k]);
    if (reach >= limit) return false;
  }
  return true;
}

/// Division by d is ((x * m >> 32) + x) >> s with s the number of bits of d - 1.
kernels::Divisor Loops::divisor(uint32_t value) noexcept {
  if (value == 0) return {0, 0, 0};
  const auto shift = static_cast<uint32_t>(std::bit_width(value - 1));
  const uint64_t power = uint64_t{1} << shift;
  const uint64_t multiplier = ((power - value) << 32) / value + 1;
  return {value, static_cast<uint32_t>(multiplier), shift};
}

bool Loops::allows_wider(int64_t factor, std::initializer_list<int> operands) const noexcept {
  if (rank_ == 0 || extent_[rank_ - 1] % factor != 0) return false;
  for (const int k : operands) {
    if (stride_[rank_ - 1][k] != 1) return false;
    for (int d = 0; d + 1 < rank_; ++d)
      if (stride_[d][k] % factor != 0) return false;
  }
  return true;
}

void Loops::widen(int64_t factor, std::initializer_list<int> operands) noexcept {
  extent_[rank_ - 1] /= factor;
  count_ /= factor;
  for (const int k : operands)
    for (int d = 0; d + 1 < rank_; ++d) stride_[d][k] /= factor;
}

}  // namespace cuda_backend
