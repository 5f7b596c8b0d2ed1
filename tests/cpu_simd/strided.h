#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "backend.h"

/// Arrays that lie in memory in all the ways a view can say, with the gaps between their elements, and a
/// margin around them, full of a pattern that must stay.
namespace cpu_simd_test {

using Extents = std::vector<int64_t>;

inline int64_t count_of(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

/// How the axes lie: outermost first, each with a step (in units of dense, may be negative).
struct Layout {
  std::vector<int> order;  ///< empty: row-major
  std::vector<int> step;   ///< empty: 1 each
};

inline Layout random_layout(size_t rank, std::mt19937& random) {
  Layout layout;
  layout.order.resize(rank);
  std::iota(layout.order.begin(), layout.order.end(), 0);
  if (random() % 2) std::shuffle(layout.order.begin(), layout.order.end(), random);
  constexpr int steps[] = {1, 1, 1, 1, 2, -1, 3, -2};
  for (size_t d = 0; d < rank; ++d) layout.step.push_back(steps[random() % 8]);
  return layout;
}

template <class T> class Strided {
 public:
  explicit Strided(Extents extents, const Layout& layout = {}) : extents_(std::move(extents)) {
    const size_t rank = extents_.size();
    strides_.resize(rank);
    int64_t place = 1, first = 0;
    for (size_t i = rank; i-- > 0;) {
      const size_t d = layout.order.empty() ? i : static_cast<size_t>(layout.order[i]);
      const int64_t step = layout.step.empty() ? 1 : layout.step[d];
      strides_[d] = place * step;
      place *= std::abs(step) * std::max<int64_t>(extents_[d], 1);
      if (step < 0 && extents_[d] > 0) first -= strides_[d] * (extents_[d] - 1);
    }
    memory_.resize(static_cast<size_t>(place + 2 * margin));
    std::memset(memory_.data(), pattern, memory_.size() * sizeof(T));
    first_ = margin + first;
  }

  int64_t count() const { return count_of(extents_); }
  const Extents& extents() const { return extents_; }

  /// Element `i` in row-major order.
  T& operator[](int64_t i) { return memory_[static_cast<size_t>(first_ + offset(i))]; }
  T operator[](int64_t i) const { return memory_[static_cast<size_t>(first_ + offset(i))]; }
  T& at(std::initializer_list<int64_t> index) {
    int64_t i = 0;
    size_t d = 0;
    for (int64_t x : index) i = i * extents_[d++] + x;
    return (*this)[i];
  }

  template <class F> Strided& fill(const F& f) {
    for (int64_t i = 0; i < count(); ++i) (*this)[i] = static_cast<T>(f(i));
    return *this;
  }
  Strided& assign(const std::vector<T>& values) {
    return fill([&](int64_t i) { return values[static_cast<size_t>(i)]; });
  }
  Strided& randomise(std::mt19937& random, double low = -1, double high = 1) {
    std::uniform_real_distribution<double> value(low, high);
    return fill([&](int64_t) { return value(random); });
  }
  std::vector<T> values() const {
    std::vector<T> result;
    for (int64_t i = 0; i < count(); ++i) result.push_back((*this)[i]);
    return result;
  }

  /// Axes in `broadcast` have stride 0 and the given extents instead of 1.
  tl_view view() const {
    tl_view view = view_of(memory_.data(), dtype_of<T>(), extents_);
    view.byte_offset = static_cast<uint64_t>(first_) * sizeof(T);
    for (size_t d = 0; d < extents_.size(); ++d) view.stride[d] = strides_[d];
    return view;
  }
  tl_view view_as(const Extents& wider) const {
    tl_view view = this->view();
    for (size_t d = 0; d < wider.size(); ++d) {
      if (view.extent[d] == 1 && wider[d] != 1) view.stride[d] = 0;
      view.extent[d] = wider[d];
    }
    return view;
  }

  /// Has nothing been written but elements?
  bool gaps_untouched() const {
    std::vector<bool> element(memory_.size());
    for (int64_t i = 0; i < count(); ++i) element[static_cast<size_t>(first_ + offset(i))] = true;
    T untouched;
    std::memset(&untouched, pattern, sizeof untouched);
    for (size_t i = 0; i < memory_.size(); ++i)
      if (!element[i] && std::memcmp(&memory_[i], &untouched, sizeof untouched) != 0) return false;
    return true;
  }

 private:
  static constexpr int pattern = 0xff;  // of floats: NaN, which shows where it is read
  static constexpr int64_t margin = 40;

  int64_t offset(int64_t i) const {
    int64_t sum = 0;
    for (size_t d = extents_.size(); d-- > 0;) {
      sum += i % extents_[d] * strides_[d];
      i /= extents_[d];
    }
    return sum;
  }

  Extents extents_, strides_;
  std::vector<T> memory_;
  int64_t first_ = 0;
};

/// Row-major element of `wider` that element i of `wider` shares in an array of `extents` (1 where it is
/// broadcast).
inline int64_t broadcast_index(int64_t i, const Extents& wider, const Extents& extents) {
  int64_t index = 0, place = 1;
  for (size_t d = wider.size(); d-- > 0;) {
    const int64_t at = i % wider[d];
    i /= wider[d];
    if (extents[d] != 1) index += at * place;
    place *= extents[d];
  }
  return index;
}

}  // namespace cpu_simd_test
