#pragma once

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace torchlight::nn {

/// Height and width; one number means both.
struct Pair {
  constexpr Pair(std::int64_t both) : height(both), width(both) {}
  constexpr Pair(int both) : Pair(static_cast<std::int64_t>(both)) {}
  constexpr Pair(std::int64_t h, std::int64_t w) : height(h), width(w) {}
  std::string str() const;  ///< "(3, 3)"
  friend constexpr bool operator==(Pair, Pair) = default;

  std::int64_t height, width;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
