#pragma once

#include <torchlight/plugin.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace test {

/// Numbers and a view of them.
template <class T = float> struct Tensor {
  std::vector<T> values;
  tl_view view{};

  explicit Tensor(std::vector<std::int64_t> extents, T value = T(77)) {
    std::int64_t count = 1;
    view.size = sizeof view;
    view.dtype = {std::uint8_t(sizeof(T) == 1 ? TL_BOOL : TL_FLOAT), std::uint8_t(sizeof(T) * 8), 1};
    view.rank = static_cast<std::uint32_t>(extents.size());
    for (std::size_t d = extents.size(); d-- > 0; count *= extents[d]) {
      view.extent[d] = extents[d];
      view.stride[d] = count;
    }
    values.assign(static_cast<std::size_t>(count), value);
    view.base = values.data();
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  /// Others for each seed, between -1 and 1.
  Tensor& random(std::uint64_t seed, double scale = 1, double shift = 0) {
    for (T& value : values) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<T>(shift + scale * (double(seed >> 40) / double(1 << 23) - 1));
    }
    return *this;
  }
  double operator[](std::int64_t i) const { return double(values[static_cast<std::size_t>(i)]); }
};

/// By how much two numbers differ beyond what is allowed; 0 where they don't, also where both are NaN.
inline double excess(double got, double wanted, double relative, double absolute) {
  if (std::isnan(wanted) && std::isnan(got)) return 0;
  if (got == wanted) return 0;
  const double difference = std::abs(got - wanted);
  return difference <= relative * std::abs(wanted) + absolute ? 0
         : std::isnan(difference)                             ? INFINITY
                                                              : difference;
}

}  // namespace test
