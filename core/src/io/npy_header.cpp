#include "io/npy_header.h"

#include <charconv>
#include <optional>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::io {
namespace {

constexpr std::pair<std::string_view, Dtype> dtypes[] = {
    {"f4", float32}, {"f8", float64}, {"i8", int64},   {"b1", boolean},
    {"u1", uint8},   {"i4", int32},   {"f2", float16},
};

/// Reads the few things of Python that a header may hold, one after the other.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) wrong(text("\"", c, "\" is expected"));
  }
  std::string_view quoted_text() {
    skip_spaces();
    const char quote = rest_.empty() ? ' ' : rest_[0];
    const std::size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : rest_.npos;
    if (end == rest_.npos) wrong("a text in quotes is expected");
    const std::string_view inner = rest_.substr(1, end - 1);
    if (inner.find('\\') != inner.npos) wrong("a text holds a backslash");
    rest_.remove_prefix(end + 1);
    return inner;
  }
  bool truth() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    wrong("True or False is expected");
  }
  std::int64_t whole_number() {
    skip_spaces();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) throw Error("its shape is too large");
    if (error != std::errc() || value < 0) wrong("a whole number is expected");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 wrote them
    return value;
  }
  bool is_at_end() {
    skip_spaces();
    return rest_.empty();
  }
  [[noreturn]] void wrong(const std::string& what) const {
    throw Error(text("the header is not what the format says: ", what, " before ", in_quotes(rest_)));
  }

 private:
  void skip_spaces() {
    const std::size_t first = rest_.find_first_not_of(" \t\n\r");
    rest_.remove_prefix(first == rest_.npos ? rest_.size() : first);
  }
  std::string_view rest_;
};

Shape read_shape(Reader& reader) {
  Shape shape;
  reader.need('(');
  while (!reader.take(')')) {
    if (shape.rank() == Shape::max_rank) throw Error("it has more than 8 dims");
    shape.push_back(reader.whole_number());
    if (reader.take(',')) continue;
    if (shape.rank() == 1) reader.wrong("a shape of one dim ends with a comma; \",\" is expected");
    reader.need(')');
    break;
  }
  return shape;
}

void read_descr(Reader& reader, NpyHeader& header) {
  if (reader.take('['))
    throw Error("its dtype is a structure of several fields, which is not supported");
  const std::string_view descr = reader.quoted_text();
  const char order = descr.empty() ? ' ' : descr[0];
  if (order == '<' || order == '>' || order == '=' || order == '|')
    for (const auto& [name, dtype] : dtypes)
      if (descr.substr(1) == name && (order != '|' || size_of(dtype) == 1)) {
        header.dtype = dtype;
        header.is_big_endian = order == '>';
        return;
      }
  throw Error(
      text("its dtype ", in_quotes(descr),
           " is not supported; known are bool, uint8, int32, int64, float16, float32 and float64"));
}

std::string_view numpy_name(Dtype dtype) {
  for (const auto& [name, known] : dtypes)
    if (known == dtype) return name;
  throw Error(text("NumPy has no ", name_of(dtype), "; convert with to(float32) first"));
}

}  // namespace

std::string format_npy_header(Dtype dtype, const Shape& shape) {
  std::string dict = text("{'descr': '", size_of(dtype) == 1 ? '|' : '<', numpy_name(dtype),
                          "', 'fortran_order': False, 'shape': ", shape.str(), ", }");
  const std::size_t before = npy_magic.size() + 4;
  dict.append(63 - (before + dict.size()) % 64, ' ');
  dict += '\n';
  std::string all(npy_magic);
  all += {'\1', '\0', static_cast<char>(dict.size()), static_cast<char>(dict.size() >> 8)};
  return all + dict;
}

NpyHeader parse_npy_header(std::string_view text_of_header) {
  Reader reader(text_of_header);
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  const auto once = [&](bool& known, std::string_view key) {
    if (known) throw Error(text("the header has ", in_quotes(key), " twice"));
    known = true;
  };
  reader.need('{');
  while (!reader.take('}')) {
    const std::string_view key = reader.quoted_text();
    reader.need(':');
    if (key == "descr") {
      once(has_descr, key);
      read_descr(reader, header);
    } else if (key == "fortran_order") {
      once(has_order, key);
      header.fortran_order = reader.truth();
    } else if (key == "shape") {
      once(has_shape, key);
      header.shape = read_shape(reader);
    } else {
      throw Error(text("the header has a key ", in_quotes(key), " that the format doesn't know"));
    }
    if (reader.take(',')) continue;
    reader.need('}');
    break;
  }
  if (!reader.is_at_end()) reader.wrong("the end is expected");
  if (!has_descr || !has_order || !has_shape)
    throw Error("the header lacks one of 'descr', 'fortran_order' and 'shape'");
  return header;
}

}  // namespace torchlight::io
