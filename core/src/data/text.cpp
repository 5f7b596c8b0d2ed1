#include <torchlight/data/text.h>

#include <torchlight/error.h>

#include "data/line_reader.h"
#include "support/text.h"

namespace torchlight::data {
namespace {

constexpr std::size_t longest_row = 64 << 20;

}  // namespace

struct TextReader::State {
  explicit State(const std::string& path) : reader(path) {}

  LineReader reader;
};

TextReader::TextReader(const std::string& path) : state_(std::make_unique<State>(path)) {}
TextReader::~TextReader() = default;

bool TextReader::next(std::string_view& line) {
  if (!state_->reader.next(line)) return false;
  if (state_->reader.number() == 1 && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  return true;
}

std::int64_t TextReader::line() const { return state_->reader.number(); }

std::string read_text(const std::string& path) {
  constexpr std::size_t block = std::size_t{1} << 20;
  UnpackedFile file(path);
  std::string all;
  for (;;) {
    const std::size_t have = all.size();
    all.resize(have + block);
    const std::size_t count = file.read(std::span(all).subspan(have));
    all.resize(have + count);
    if (count == 0) return all;
  }
}

struct FieldReader::State {
  State(const std::string& path, FieldOptions how) : reader(path), options(how) {}

  LineReader reader;
  const FieldOptions options;
  std::size_t columns = 0;
  std::string row;  // lines that belong together

  bool next_row();
  void split(std::vector<std::string>& fields) const;
  std::size_t quoted(std::size_t begin, std::string& field) const;
};

// A row goes on in the next line while a quote is open: each quote, doubled ones too, opens or closes.
bool FieldReader::State::next_row() {
  std::string_view line;
  row.clear();
  bool open = false;
  std::int64_t first_line = 0;
  do {
    if (!reader.next(line)) {
      if (open)
        reader.fail(text("a quote of the row that began in line ", first_line, " isn't closed"));
      return false;
    }
    if (!open) first_line = reader.number();
    if (row.size() > longest_row)
      reader.fail(text("the row that began in line ", first_line, " is longer than ", longest_row,
                       " bytes; is a quote not closed?"));
    if (reader.number() == 1 && line.starts_with(byte_order_mark))
      line.remove_prefix(byte_order_mark.size());
    if (open) row += '\n';
    row += line;
    if (options.quotes)
      for (const char c : line) open ^= c == '"';
  } while (open || row.empty());
  return true;
}

void FieldReader::State::split(std::vector<std::string>& fields) const {
  fields.clear();
  for (std::size_t at = 0;; ++at) {
    std::string& field = fields.emplace_back();
    if (options.quotes && at < row.size() && row[at] == '"') {
      at = quoted(at + 1, field);
    } else {
      const std::size_t end = std::min(row.find(options.delimiter, at), row.size());
      field.assign(row, at, end - at);
      if (options.quotes && field.find('"') != std::string::npos)
        reader.fail(
            text("column ", fields.size(), ": a quote within a field that doesn't start with one"));
      at = end;
    }
    if (at == row.size()) return;
    if (row[at] != options.delimiter)
      reader.fail(text("column ", fields.size(), ": something follows the closing quote"));
  }
}

// Up to the closing quote; gives the place behind it.
std::size_t FieldReader::State::quoted(std::size_t begin, std::string& field) const {
  for (std::size_t at = begin;; ++at) {
    if (row[at] != '"') {  // next_row() saw to it that there is one
      field += row[at];
    } else if (at + 1 < row.size() && row[at + 1] == '"') {
      field += row[at++];
    } else {
      return at + 1;
    }
  }
}

FieldReader::FieldReader(const std::string& path, FieldOptions options)
    : state_(std::make_unique<State>(path, options)) {
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r')
    throw Error("FieldReader: the delimiter can't be a quote or a line end");
  if (options.skip_lines < 0)
    throw Error(text("FieldReader: skip_lines is ", options.skip_lines, "; it must be at least 0"));
  std::string_view line;
  for (std::int64_t i = 0; i < options.skip_lines; ++i)
    if (!state_->reader.next(line)) break;
}
FieldReader::~FieldReader() = default;

bool FieldReader::next(std::vector<std::string>& fields) {
  if (!state_->next_row()) return false;
  state_->split(fields);
  if (state_->columns == 0) state_->columns = fields.size();
  if (fields.size() != state_->columns)
    state_->reader.fail(text("it has ", fields.size(), " fields, the first row has ", state_->columns));
  return true;
}

std::int64_t FieldReader::line() const { return state_->reader.number(); }

}  // namespace torchlight::data
