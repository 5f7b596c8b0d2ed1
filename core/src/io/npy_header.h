#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <torchlight/dtype.h>
#include <torchlight/shape.h>

/// The .npy format: "\x93NUMPY", the version (2 bytes), the header's length (2 bytes in version 1, 4 from
/// version 2 on, little-endian), the header, the data. The header is a Python dict in ASCII (version 3:
/// UTF-8), filled up with spaces so that the data is aligned:
///   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
namespace torchlight::io {

struct NpyHeader {
  Dtype dtype = float32;
  Shape shape;
  bool fortran_order = false;  ///< the first index runs fastest
  bool is_big_endian = false;
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";
/// A header of a type that we have is some 100 bytes, plus what aligns the data.
inline constexpr std::uint64_t longest_npy_header = 1 << 20;

/// All that stands before the data of an array in row-major order. Error for bfloat16, which NumPy lacks.
std::string format_npy_header(Dtype dtype, const Shape& shape);

/// The header without what stands before it. Error saying what the format doesn't allow, or which type it is
/// that we don't have.
NpyHeader parse_npy_header(std::string_view header);

}  // namespace torchlight::io
