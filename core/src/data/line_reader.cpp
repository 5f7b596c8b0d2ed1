#include "data/line_reader.h"

#include <cstring>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::data {
namespace {

constexpr std::size_t first_buffer = 64 << 10;
constexpr std::size_t longest_line = 64 << 20;

}  // namespace

LineReader::LineReader(const std::string& path) : path_(path), file_(path), buffer_(first_buffer) {}

void LineReader::fail(const std::string& what) const {
  throw FileError(text(path_, ", line ", number_, ": ", what));
}

// Makes room behind what is left and reads on. False at the end of the file.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    if (end_ >= longest_line) fail(text("the line is longer than ", longest_line, " bytes"));
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t count = file_.read(std::span(buffer_).subspan(end_));
  end_ += count;
  return count > 0;
}

bool LineReader::next(std::string_view& line) {
  ++number_;
  std::size_t looked_at = begin_;
  const char* newline = nullptr;
  for (;;) {
    newline = static_cast<const char*>(std::memchr(buffer_.data() + looked_at, '\n', end_ - looked_at));
    if (newline) break;
    const std::size_t seen = end_ - begin_;
    if (!fill()) break;
    looked_at = begin_ + seen;
  }
  if (!newline && begin_ == end_) return false;
  const std::size_t length =
      newline ? static_cast<std::size_t>(newline - buffer_.data()) - begin_ : end_ - begin_;
  line = std::string_view(buffer_.data() + begin_, length);
  begin_ += length + (newline ? 1 : 0);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace torchlight::data
