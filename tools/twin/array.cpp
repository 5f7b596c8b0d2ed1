#include "array.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>

#include "command.h"

namespace twin_command {
namespace {

struct Row {
  const char *short_name, *name, *cpp;
  std::uint64_t bytes;
  bool floating;
};
constexpr Row rows[] = {{"f32", "float32", "float", 4, true},
                        {"f64", "float64", "double", 8, true},
                        {"f16", "float16", "half", 2, true},
                        {"bf16", "bfloat16", "bf16", 2, true},
                        {"bool", "bool", "bool", 1, false},
                        {"i8", "int8", "signed char", 1, false},
                        {"u8", "uint8", "unsigned char", 1, false},
                        {"i16", "int16", "short", 2, false},
                        {"u16", "uint16", "unsigned short", 2, false},
                        {"i32", "int32", "int", 4, false},
                        {"u32", "uint32", "unsigned int", 4, false},
                        {"i64", "int64", "long", 8, false},
                        {"u64", "uint64", "unsigned long", 8, false}};

const Row& row(Element element) { return rows[static_cast<std::size_t>(element)]; }

/// Of a float with `exponent` and `fraction` bits, to nearest even. The double's own steps are far finer.
std::uint16_t small_float(double value, int exponent, int fraction) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int most = (1 << exponent) - 1, bias = most >> 1;
  if (std::isnan(value))
    return static_cast<std::uint16_t>(sign | most << fraction | 1 << (fraction - 1));
  const double size = std::fabs(value);
  if (size == 0) return sign;
  int power = std::isinf(size) ? 2000 : std::ilogb(size);
  power = std::max(power, 1 - bias);
  if (power > bias) return static_cast<std::uint16_t>(sign | most << fraction);
  const double steps = std::nearbyint(std::ldexp(size, fraction - power));
  // Steps of a normal number carry its leading one; what rounds up to the next power carries over by itself.
  const auto bits =
      static_cast<std::uint32_t>(steps) + (static_cast<std::uint32_t>(power + bias - 1) << fraction);
  return static_cast<std::uint16_t>(sign | bits);
}

double of_small_float(std::uint16_t bits, int exponent, int fraction) {
  const int most = (1 << exponent) - 1, bias = most >> 1, power = bits >> fraction & most;
  const int steps = bits & ((1 << fraction) - 1);
  double value = power == 0     ? std::ldexp(steps, 1 - bias - fraction)
                 : power < most ? std::ldexp(steps + (1 << fraction), power - bias - fraction)
                 : steps        ? NAN
                                : INFINITY;
  return bits & 0x8000 ? -value : value;
}

template <class T> double read(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return static_cast<double>(value);
}
template <class T> void write(char* place, double value) {
  const T held = static_cast<T>(value);
  std::memcpy(place, &held, sizeof held);
}

}  // namespace

std::uint64_t bytes_of(Element element) { return row(element).bytes; }
const char* name_of(Element element) { return row(element).name; }
bool is_floating(Element element) { return row(element).floating; }

std::optional<Element> element_of(const std::string& name) {
  for (std::size_t k = 0; k < std::size(rows); ++k)
    if (name == rows[k].short_name || name == rows[k].name || name == rows[k].cpp)
      return static_cast<Element>(k);
  return std::nullopt;
}

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::string shown(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "1" : text;
}

Shape shape_of(const std::string& text) {
  Shape shape;
  const char *at = text.data(), *end = at + text.size();
  for (double all = 1;;) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 0)
      throw BadInput("\"" + text + "\" is no shape like 1000 or 2x3");
    shape.push_back(extent);
    all *= static_cast<double>(extent);
    if (all > 1e10) throw BadInput("\"" + text + "\" is too large");
    if (next == end) return shape;
    if (*next != 'x') throw BadInput("\"" + text + "\" is no shape like 1000 or 2x3");
    at = next + 1;
  }
}

Array::Array(Element type, Shape extents)
    : element(type),
      shape(std::move(extents)),
      bytes(static_cast<std::size_t>(count()) * bytes_of(type)) {}

double Array::at(std::int64_t index) const {
  const char* place = bytes.data() + static_cast<std::uint64_t>(index) * bytes_of(element);
  switch (element) {
    case Element::f32: return read<float>(place);
    case Element::f64: return read<double>(place);
    case Element::f16:
      return of_small_float(static_cast<std::uint16_t>(read<std::uint16_t>(place)), 5, 10);
    case Element::bf16:
      return of_small_float(static_cast<std::uint16_t>(read<std::uint16_t>(place)), 8, 7);
    case Element::boolean:
    case Element::u8: return read<std::uint8_t>(place);
    case Element::i8: return read<std::int8_t>(place);
    case Element::i16: return read<std::int16_t>(place);
    case Element::u16: return read<std::uint16_t>(place);
    case Element::i32: return read<std::int32_t>(place);
    case Element::u32: return read<std::uint32_t>(place);
    case Element::i64: return read<std::int64_t>(place);
    case Element::u64: return read<std::uint64_t>(place);
  }
  return NAN;
}

void Array::set(std::int64_t index, double value) {
  char* place = bytes.data() + static_cast<std::uint64_t>(index) * bytes_of(element);
  switch (element) {
    case Element::f32: return write<float>(place, value);
    case Element::f64: return write<double>(place, value);
    case Element::f16: return write<std::uint16_t>(place, small_float(value, 5, 10));
    case Element::bf16: return write<std::uint16_t>(place, small_float(value, 8, 7));
    case Element::boolean: return write<std::uint8_t>(place, value != 0);
    case Element::u8: return write<std::uint8_t>(place, value);
    case Element::i8: return write<std::int8_t>(place, value);
    case Element::i16: return write<std::int16_t>(place, value);
    case Element::u16: return write<std::uint16_t>(place, value);
    case Element::i32: return write<std::int32_t>(place, value);
    case Element::u32: return write<std::uint32_t>(place, value);
    case Element::i64: return write<std::int64_t>(place, value);
    case Element::u64: return write<std::uint64_t>(place, value);
  }
}

std::vector<double> Array::values() const {
  std::vector<double> all(static_cast<std::size_t>(count()));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = at(static_cast<std::int64_t>(k));
  return all;
}

bool Array::is_poisoned(std::int64_t index) const {
  const std::uint64_t size = bytes_of(element);
  for (std::uint64_t k = 0; k < size; ++k)
    if (static_cast<unsigned char>(bytes[static_cast<std::uint64_t>(index) * size + k]) != 0xFF)
      return false;
  return true;
}

Array poison(Element element, const Shape& shape) {
  Array array(element, shape);
  std::fill(array.bytes.begin(), array.bytes.end(), static_cast<char>(0xFF));
  return array;
}

Array random(Element element, const Shape& shape, std::uint64_t seed) {
  Array array(element, shape);
  std::mt19937_64 bits(seed);
  for (std::int64_t k = 0; k < array.count(); ++k) {
    const double part = static_cast<double>(bits() >> 11) * 0x1p-53;
    array.set(k, is_floating(element)          ? 2 * part - 1
                 : element == Element::boolean ? std::floor(2 * part)
                                               : std::floor(100 * part));
  }
  return array;
}

}  // namespace twin_command
