#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace torchlight {

/// Up to eight integers, held in place: a shape, strides, or a list of dims. Made from one number, a
/// braced list, a vector or a span; more than eight entries raise Error.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  template <std::same_as<bool> B> Shape(B) = delete;  ///< a flag in the place of a dim: a slip
  Shape(std::int64_t only) : rank_(1), values_{only} {}
  Shape(int only) : Shape(static_cast<std::int64_t>(only)) {}
  Shape(std::initializer_list<std::int64_t> values) : Shape(values.begin(), values.size()) {}
  Shape(const std::vector<std::int64_t>& values) : Shape(values.data(), values.size()) {}
  Shape(std::span<const std::int64_t> values) : Shape(values.data(), values.size()) {}

  /// `rank` entries of `value`.
  static Shape filled(int rank, std::int64_t value);

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  /// Entry i; a negative i counts from the end. Error where there is none.
  std::int64_t operator[](int i) const { return values_[place(i)]; }
  std::int64_t& operator[](int i) { return values_[place(i)]; }
  const std::int64_t* begin() const { return values_; }
  const std::int64_t* end() const { return values_ + rank_; }
  std::int64_t* begin() { return values_; }
  std::int64_t* end() { return values_ + rank_; }
  std::int64_t back() const { return (*this)[-1]; }

  void push_back(std::int64_t value);
  void insert(int at, std::int64_t value);
  void erase(int at);

  /// The product of all entries; 1 for none. Error where it doesn't fit into int64 or an entry is < 0.
  std::int64_t numel() const;
  /// "(2, 3)", "(4,)", "()"
  std::string str() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i)
      if (a.values_[i] != b.values_[i]) return false;
    return true;
  }

 private:
  Shape(const std::int64_t* values, std::size_t count);

  int place(int i) const {
    const int from_start = i < 0 ? i + rank_ : i;
    if (from_start < 0 || from_start >= rank_) refuse(i);
    return from_start;
  }
  [[noreturn]] void refuse(int i) const;

  std::int32_t rank_ = 0;
  std::int64_t values_[max_rank] = {};
};

/// The common shape that both broadcast to, as NumPy does; Error naming both where there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b);

using Strides = Shape;  ///< in elements; 0 along a broadcast dim
using Dims = Shape;     ///< dims to work on; negative ones count from the end, none means all

}  // namespace torchlight
#pragma GCC visibility pop
