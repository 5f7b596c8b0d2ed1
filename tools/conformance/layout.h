#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// Shapes and how their elements lie in memory.
namespace torchlight::test {

using Shape = std::vector<std::int64_t>;

std::int64_t count(const Shape& shape);
/// "3x0x7"; "scalar" for rank 0
std::string text(const Shape& shape);
/// Moves `index` to the next element in row-major order; false after the last.
bool advance(Shape& index, const Shape& shape);

/// Strides in elements and a window that holds all elements exactly: element 0 lies `first` elements
/// after its begin, and it is `span` elements long.
struct Layout {
  Shape extent;
  Shape stride;
  std::int64_t first = 0;
  std::int64_t span = 0;

  std::int64_t offset(const Shape& index) const;
  bool operator==(const Layout&) const = default;
};

enum class Arrangement : std::uint8_t {
  contiguous,
  transposed,    ///< the axes lie in memory in the opposite order
  stepped,       ///< every second or third element along each axis
  padded,        ///< rows are longer than what is seen of them
  reversed,      ///< every stride is negative
  mixed,         ///< a random order of axes, steps, signs, and odd strides where the extent is 1
  one_value,     ///< broadcast along all axes
  one_row,       ///< broadcast along all axes but the last
  one_column,    ///< broadcast along the last axis
  every_second,  ///< broadcast along the axes 0, 2, …
};

inline constexpr std::array dense_arrangements = {Arrangement::contiguous, Arrangement::transposed,
                                                  Arrangement::stepped,    Arrangement::padded,
                                                  Arrangement::reversed,   Arrangement::mixed};
inline constexpr std::array broadcast_arrangements = {
    Arrangement::one_value, Arrangement::one_row, Arrangement::one_column, Arrangement::every_second};

const char* name(Arrangement arrangement);
/// `seed` decides what "mixed" means.
Layout arrange(const Shape& shape, Arrangement arrangement = Arrangement::contiguous,
               std::uint64_t seed = 0);
/// The two last axes lie in memory in the opposite order, the others as they are.
Layout transpose_last(const Shape& shape);
/// `inner` seen as `shape` by NumPy's rules: right-aligned, stride 0 where it has extent 1.
Layout broadcast(const Layout& inner, const Shape& shape);

}  // namespace torchlight::test
