#pragma once

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace torchlight {

/// Element types. float32 and float64 compute, int64 and bool are index and mask types, the others are
/// stored, converted and copied (float16 and bfloat16 also multiply in matmul).
enum class Dtype : std::uint8_t { float32, float64, int64, boolean, uint8, int32, float16, bfloat16 };

inline constexpr Dtype float32 = Dtype::float32;
inline constexpr Dtype float64 = Dtype::float64;
inline constexpr Dtype int64 = Dtype::int64;
inline constexpr Dtype boolean = Dtype::boolean;
inline constexpr Dtype uint8 = Dtype::uint8;
inline constexpr Dtype int32 = Dtype::int32;
inline constexpr Dtype float16 = Dtype::float16;
inline constexpr Dtype bfloat16 = Dtype::bfloat16;

/// Bytes of one element.
constexpr std::int64_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float64:
    case Dtype::int64: return 8;
    case Dtype::float32:
    case Dtype::int32: return 4;
    case Dtype::float16:
    case Dtype::bfloat16: return 2;
    case Dtype::boolean:
    case Dtype::uint8: return 1;
  }
  return 0;
}

/// "float32", "bool", …
constexpr std::string_view name_of(Dtype dtype) {
  constexpr std::string_view names[] = {"float32", "float64", "int64",   "bool",
                                        "uint8",   "int32",   "float16", "bfloat16"};
  return names[static_cast<int>(dtype)];
}

constexpr bool is_floating(Dtype dtype) {
  return dtype == float32 || dtype == float64 || dtype == float16 || dtype == bfloat16;
}

/// The dtype of a C++ element type: float, double, std::int64_t, bool, std::uint8_t, std::int32_t.
template <class T>
inline constexpr Dtype dtype_of = [] {
  static_assert(sizeof(T) == 0, "no tensor holds elements of this type");
  return float32;
}();
template <> inline constexpr Dtype dtype_of<float> = float32;
template <> inline constexpr Dtype dtype_of<double> = float64;
template <> inline constexpr Dtype dtype_of<std::int64_t> = int64;
template <> inline constexpr Dtype dtype_of<bool> = boolean;
template <> inline constexpr Dtype dtype_of<std::uint8_t> = uint8;
template <> inline constexpr Dtype dtype_of<std::int32_t> = int32;

}  // namespace torchlight
#pragma GCC visibility pop
