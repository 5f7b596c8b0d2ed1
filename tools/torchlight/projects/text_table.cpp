#include "projects/text_table.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <torchlight/data/text.h>
#include <torchlight/error.h>

namespace command {
namespace {

namespace tl = torchlight;
using Fields = std::vector<std::string>;

tl::data::FieldOptions options_for(std::string path) {
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  for (const char* end : {".tsv", ".tab", ".txt"})
    if (path.ends_with(end)) return {.delimiter = '\t', .quotes = false};
  return {};
}

std::optional<std::size_t> as_number(const std::string& column) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (error != std::errc() || end != column.data() + column.size() || number == 0) return {};
  return number - 1;
}

class Columns {
 public:
  Columns(const std::string& path, const Fields& line) : path_(path), line_(line) {}

  std::size_t find(const std::string& column) const {
    if (const auto number = as_number(column)) {
      if (*number < line_.size()) return *number;
      throw tl::FileError(tl::printable(path_) + ", line 1: there is no column " + column + " among " +
                          std::to_string(line_.size()));
    }
    const auto found = std::ranges::find(line_, column);
    if (std::ranges::count(line_, column) > 1)
      throw tl::FileError(tl::printable(path_) + ", line 1: several columns are named \"" +
                          tl::printable(column) +
                          "\"; tell the one by its number, from 1, without that line");
    if (found != line_.end()) return static_cast<std::size_t>(found - line_.begin());
    std::string names;
    for (const std::string& name : line_) names += (names.empty() ? "\"" : ", \"") + name + "\"";
    throw tl::FileError(tl::printable(path_) + ", line 1: there is no column \"" +
                        tl::printable(column) + "\"; it begins with " + tl::printable(names) +
                        ". A column of a file without names is told by its number, from 1");
  }

 private:
  const std::string& path_;
  const Fields& line_;
};

}  // namespace

TextTable read_text_table(const std::string& path, const std::string& first,
                          const std::string& second) {
  tl::data::FieldReader reader(path, options_for(path));
  TextTable table;
  table.path = path;
  Fields fields;
  if (!reader.next(fields)) throw tl::FileError(tl::printable(path) + ": it is empty");
  const Columns columns(path, fields);
  const std::size_t a = columns.find(first), b = columns.find(second);
  if (a == b)
    throw tl::FileError(tl::printable(path) + ": both columns are the same one, \"" +
                        tl::printable(first) + "\"");
  const bool has_names = !as_number(first) || !as_number(second);
  for (bool more = has_names ? reader.next(fields) : true; more; more = reader.next(fields)) {
    table.first.push_back(fields[a]);
    table.second.push_back(fields[b]);
  }
  if (table.first.empty()) throw tl::FileError(tl::printable(path) + ": it has no rows");
  return table;
}

}  // namespace command
