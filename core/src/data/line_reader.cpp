#include "data/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::data {
namespace {

constexpr std::size_t first_buffer = 64 << 10;
constexpr std::size_t longest_line = 64 << 20;

}  // namespace

LineReader::LineReader(std::string path)
    : path_(std::move(path)), file_(gzopen(path_.c_str(), "rbe"), gzclose_r), buffer_(first_buffer) {
  if (!file_) throw FileError(text("can't open ", path_, ": ", std::strerror(errno ? errno : ENOMEM)));
}

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
  errno = 0;
  const int count =
      gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  int status = Z_OK;
  const char* message = gzerror(file_.get(), &status);
  if (status == Z_ERRNO) fail(text("can't read on: ", std::strerror(errno)));
  if (status != Z_OK && status != Z_STREAM_END) fail(text("the compressed data is damaged: ", message));
  end_ += static_cast<std::size_t>(std::max(count, 0));
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
