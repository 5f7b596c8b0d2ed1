#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <torchlight/plugin.h>

/// Element types as the tests see them. Every value of every dtype is exact in `Real`.
namespace torchlight::test {

using Real = long double;

enum class Dtype : std::uint8_t { boolean, uint8, int32, int64, float16, bfloat16, float32, float64 };

inline constexpr std::array all_dtypes = {Dtype::boolean, Dtype::uint8,   Dtype::int32,
                                          Dtype::int64,   Dtype::float16, Dtype::bfloat16,
                                          Dtype::float32, Dtype::float64};

struct DtypeInfo {
  const char* name;
  tl_dtype code;
  int digits;        ///< of the significand, the hidden one included; 0 for integers
  int min_exponent;  ///< of the smallest normal number, 1.0 being 2^0
  int max_exponent;  ///< of the largest number
};

const DtypeInfo& info(Dtype dtype);
inline const char* name(Dtype dtype) { return info(dtype).name; }
inline std::size_t size_of(Dtype dtype) { return info(dtype).code.bits / 8u; }
inline bool is_float(Dtype dtype) { return info(dtype).digits != 0; }
std::optional<Dtype> find(tl_dtype code);

/// The element at `p`, which need not be aligned.
Real load(Dtype dtype, const std::byte* p);
/// Rounded to the dtype; integers and bool must be in range.
void store(Dtype dtype, Real value, std::byte* p);

/// The nearest value of a floating-point dtype, halves to even, ±inf beyond its range. Integers are
/// returned as they are.
Real round_to(Dtype dtype, Real value);
/// The distance of neighbouring values of a floating-point dtype around `value` (0 for integers).
Real spacing(Dtype dtype, Real value);
Real largest(Dtype dtype);   ///< the largest finite value
Real smallest(Dtype dtype);  ///< the smallest positive one, a denormal
/// |got − exact| in units of the last place of the correctly rounded result; 0 for equal infinities and
/// for two NaNs, infinite where only one is.
Real ulp_distance(Dtype dtype, Real got, Real exact);

}  // namespace torchlight::test
