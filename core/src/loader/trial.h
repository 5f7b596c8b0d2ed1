#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "loader/open_device.h"
#include "support/text.h"

namespace torchlight::loader {

/// What a self-test found.
class WrongAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T> inline constexpr tl_dtype dtype_code{TL_FLOAT, sizeof(T) * 8, 1};
template <> inline constexpr tl_dtype dtype_code<std::int64_t>{TL_INT, 64, 1};
template <> inline constexpr tl_dtype dtype_code<std::uint8_t>{TL_UINT, 8, 1};

/// One call of one primitive in memory of the device, where the host may not see it.
class Trial {
 public:
  using Extents = std::vector<std::int64_t>;

  explicit Trial(OpenDevice& device);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial();

  /// A view of fresh memory that holds these values, row-major unless strides are given.
  template <class T>
  const tl_view* input(const std::vector<T>& values, const Extents& extent,
                       const Extents& stride = {}) {
    return place(values.data(), values.size() * sizeof(T), dtype_code<T>, extent, stride);
  }
  /// The same for an output: what it holds must be overwritten.
  template <class T> const tl_view* output(const Extents& extent) {
    std::int64_t count = 1;
    for (const std::int64_t n : extent) count *= n;
    return input(std::vector<T>(static_cast<std::size_t>(count), T(77)), extent);
  }

  /// Asks `supports` and runs the call. False where it is declined. `what` names it in messages.
  bool run(std::uint32_t primitive, tl_args& args, std::string what);

  /// WrongAnswer if the primitive does a call that makes no sense, though nobody asked `supports`.
  void expect_declined(std::uint32_t primitive, const tl_args& args, std::string what);

  /// WrongAnswer unless the output holds these values, and nothing around it was written.
  template <class T>
  void expect(const tl_view* output, const std::vector<T>& expected, double tolerance = 0) {
    const std::vector<char> bytes = read_back(output);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      T got;
      std::memcpy(&got, bytes.data() + i * sizeof(T), sizeof(T));
      const double difference = std::abs(static_cast<double>(got) - static_cast<double>(expected[i]));
      if (!(difference <= tolerance * std::abs(static_cast<double>(expected[i]))))
        throw WrongAnswer(
            text(what_, " gave ", got, " where ", expected[i], " is right (element ", i, ")"));
    }
  }

 private:
  /// A view's memory, with a margin on both sides.
  struct Piece {
    tl_view view{};
    tl_memory memory{};
    std::vector<double> host;  // the content, or the memory itself on host devices
    std::size_t bytes = 0;
  };

  const tl_view* place(const void* values, std::size_t bytes, tl_dtype dtype, const Extents& extent,
                       const Extents& stride);
  std::vector<char> read_back(const tl_view* view);
  void copy(const tl_memory& source, const tl_memory& destination, std::size_t bytes);
  void sync();

  OpenDevice& device_;
  tl_stream* stream_ = nullptr;
  std::deque<Piece> pieces_;  // views stay where they are
  std::string what_;
};

}  // namespace torchlight::loader
