// Arrays on the host, of any type that kernels take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twin_command {

enum class Element : std::uint8_t {
  f32,
  f64,
  f16,
  bf16,
  boolean,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64
};

std::uint64_t bytes_of(Element element);
const char* name_of(Element element);
/// "f32", "float32", "float" …
std::optional<Element> element_of(const std::string& name);
bool is_floating(Element element);

using Shape = std::vector<std::int64_t>;
std::int64_t count_of(const Shape& shape);
std::string shown(const Shape& shape);  // "2x3"
/// Of "2x3"; BadInput for anything else.
Shape shape_of(const std::string& text);

struct Array {
  Element element = Element::f32;
  Shape shape;
  std::vector<char> bytes;

  Array() = default;
  Array(Element type, Shape extents);
  std::int64_t count() const { return count_of(shape); }
  double at(std::int64_t index) const;
  void set(std::int64_t index, double value);
  std::vector<double> values() const;
  /// Whether an element still has what poison() put there.
  bool is_poisoned(std::int64_t index) const;
};

/// Every byte 0xFF: NaN in all floating types, -1 or the largest number in the others.
Array poison(Element element, const Shape& shape);
/// From -1 to 1, whole numbers from 0 to 99, or bools.
Array random(Element element, const Shape& shape, std::uint64_t seed);

/// BadInput where it can't be read or written, or is of a type that kernels' arrays don't have.
Array load_array(const std::string& path);
void save_array(const Array& array, const std::string& path);

}  // namespace twin_command
