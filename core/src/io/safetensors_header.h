#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <torchlight/dtype.h>
#include <torchlight/shape.h>

/// The .safetensors format: a length (8 bytes, little-endian), a header of that length, the data. The
/// header is JSON:
///   {"__metadata__": {"any": "text"}, "0.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
/// Offsets count from the start of the data, and every byte of the data belongs to exactly one tensor.
namespace torchlight::io {

struct TensorEntry {
  std::string name;
  Dtype dtype = float32;
  Shape shape;
  std::uint64_t begin = 0, end = 0;
};

inline constexpr std::uint64_t length_bytes = 8;
inline constexpr std::uint64_t longest_header = 100'000'000;

/// "F32"; and back, nothing for a type that we don't have.
std::string_view safetensors_name(Dtype dtype);
std::optional<Dtype> safetensors_dtype(std::string_view name);

std::string format_header(const std::vector<TensorEntry>& entries);

/// The entries, in the header's order. Error saying what the format doesn't allow.
std::vector<TensorEntry> parse_header(std::string_view json, std::uint64_t data_bytes);

}  // namespace torchlight::io
