#include "io/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<std::string_view, Dtype> dtypes[] = {
    {"F32", float32}, {"F64", float64}, {"I64", int64},   {"BOOL", boolean},
    {"U8", uint8},    {"I32", int32},   {"F16", float16}, {"BF16", bfloat16},
};

[[noreturn]] void wrong(const std::string& name, const std::string& what) {
  throw Error(text("tensor ", in_quotes(name), ": ", what));
}

// What the parser would let pass: it keeps the last of two equal keys, and takes nesting that no header
// has. One object is open at a time on each of the few levels. Its errors are in our own words.
class StructureCheck : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool start_object(std::size_t) override {
    open();
    keys_[depth_ - 1].clear();
    return true;
  }
  bool end_object() override { return close(); }
  bool key(string_t& name) override {
    if (!keys_[depth_ - 1].insert(name).second)
      throw Error(text("duplicate name ", excerpt(name, 100)));
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    throw Error(text("the header is not valid JSON: wrong at its byte ", position));
  }

 private:
  bool open() {
    if (++depth_ > std::size(keys_)) throw Error("the header is nested too deeply");
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
  std::unordered_set<std::string> keys_[4];
};

std::vector<std::uint64_t> whole_numbers(const std::string& name, const char* key, const Json& entry) {
  const auto it = entry.find(key);
  if (it == entry.end() || !it->is_array()) wrong(name, text("there is no list \"", key, "\""));
  std::vector<std::uint64_t> numbers;
  for (const Json& item : *it) {
    if (!item.is_number_unsigned())
      wrong(name, text("\"", key, "\" holds something else than whole numbers"));
    numbers.push_back(item.get<std::uint64_t>());
  }
  return numbers;
}

Dtype dtype_of_entry(const std::string& name, const Json& entry) {
  const auto it = entry.find("dtype");
  if (it == entry.end() || !it->is_string()) wrong(name, "there is no text \"dtype\"");
  const auto& known = it->get_ref<const std::string&>();
  const std::optional<Dtype> dtype = safetensors_dtype(known);
  if (!dtype) wrong(name, text("the type ", excerpt(known, 20), " is not supported"));
  return *dtype;
}

Shape shape_of_entry(const std::string& name, const Json& entry) {
  const std::vector<std::uint64_t> sizes = whole_numbers(name, "shape", entry);
  if (sizes.size() > Shape::max_rank) wrong(name, text("it has ", sizes.size(), " dims, more than 8"));
  Shape shape;
  for (const std::uint64_t size : sizes) {
    if (size > INT64_MAX) wrong(name, "its shape is too large");
    shape.push_back(static_cast<std::int64_t>(size));
  }
  // An empty tensor takes no bytes, whatever its other sizes are, so this isn't found by its bytes.
  try {
    shape.numel();
  } catch (const Error& error) {
    wrong(name, error.what());
  }
  return shape;
}

// Whether the shape's elements take just the entry's bytes. Multiplied so that nothing can wrap.
bool fills(const TensorEntry& entry) {
  const std::uint64_t bytes = entry.end - entry.begin;
  std::uint64_t product = static_cast<std::uint64_t>(size_of(entry.dtype));
  for (const std::int64_t extent : entry.shape) {
    if (extent == 0) return bytes == 0;
    const auto factor = static_cast<std::uint64_t>(extent);
    product = product > bytes / factor ? bytes + 1 : product * factor;
  }
  return product == bytes;
}

TensorEntry parse_entry(const std::string& name, const Json& entry, std::uint64_t data_bytes) {
  if (!entry.is_object()) wrong(name, "its entry is no object");
  for (const auto& [key, value] : entry.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      wrong(name, text("its entry has a field ", in_quotes(key), " that the format doesn't know"));
  TensorEntry result{name, dtype_of_entry(name, entry), shape_of_entry(name, entry)};
  const std::vector<std::uint64_t> offsets = whole_numbers(name, "data_offsets", entry);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes)
    wrong(name, text("its data_offsets are not a range of the ", data_bytes, " bytes of data"));
  result.begin = offsets[0];
  result.end = offsets[1];
  if (!fills(result))
    wrong(name, text("shape ", result.shape.str(), " of ", name_of(result.dtype), " doesn't take ",
                     result.end - result.begin, " bytes"));
  return result;
}

void check_metadata(const Json& metadata) {
  if (!metadata.is_object()) throw Error("__metadata__ is no object");
  for (const auto& [key, value] : metadata.items())
    if (!value.is_string())
      throw Error(text("__metadata__: the value of ", in_quotes(key), " is no text"));
}

// Sorted by offset, each tensor must begin where the one before it ended.
void check_coverage(const std::vector<TensorEntry>& entries, std::uint64_t data_bytes) {
  std::vector<const TensorEntry*> by_offset;
  for (const TensorEntry& entry : entries) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(), [](const TensorEntry* a, const TensorEntry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::uint64_t end = 0;
  for (const TensorEntry* entry : by_offset) {
    if (entry->begin != end)
      wrong(entry->name,
            text("its data begins at ", entry->begin, ", but the data before it ends at ", end));
    end = entry->end;
  }
  if (end != data_bytes)
    throw Error(text("the tensors take ", end, " bytes of data, the file has ", data_bytes));
}

}  // namespace

std::string_view safetensors_name(Dtype dtype) {
  for (const auto& [name, known] : dtypes)
    if (known == dtype) return name;
  throw Error("unknown dtype");
}

std::optional<Dtype> safetensors_dtype(std::string_view name) {
  for (const auto& [known, dtype] : dtypes)
    if (known == name) return dtype;
  return {};
}

std::string format_header(const std::vector<TensorEntry>& entries) {
  Json header = Json::object();
  for (const TensorEntry& entry : entries)
    header[entry.name] = {{"dtype", safetensors_name(entry.dtype)},
                          {"shape", std::vector<std::int64_t>(entry.shape.begin(), entry.shape.end())},
                          {"data_offsets", {entry.begin, entry.end}}};
  std::string json;
  try {
    json = header.dump();
  } catch (const Json::exception&) {
    throw Error("save: a name is not valid UTF-8");
  }
  json.resize((json.size() + 7) / 8 * 8, ' ');  // so that the data is aligned
  return json;
}

std::vector<TensorEntry> parse_header(std::string_view json, std::uint64_t data_bytes) {
  if (!json.starts_with('{')) throw Error("the header is not a JSON object");
  StructureCheck check;
  Json::sax_parse(json, &check);
  const Json header = Json::parse(json);
  std::vector<TensorEntry> entries;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__")
      check_metadata(entry);
    else
      entries.push_back(parse_entry(name, entry, data_bytes));
  }
  check_coverage(entries, data_bytes);
  return entries;
}

}  // namespace torchlight::io
