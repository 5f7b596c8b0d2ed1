#pragma once

#include <string>

namespace command {

/// Standard output. On a terminal the last line may be a progress line that is drawn anew; elsewhere (a file,
/// a pipe, TERM=dumb, NO_COLOR) there are plain lines alone. When it can't be written to any more, the
/// rest is dropped and the work goes on.
class Output {
 public:
  Output();

  bool is_terminal() const { return is_terminal_; }
  /// A line, in place of the progress line. It is printable, whatever the names in it are.
  void line(const std::string& text);
  /// Several lines of our own.
  void lines(const std::string& text);
  /// Draws the progress line, cut to the terminal's width; nothing elsewhere.
  void progress(const std::string& text);
  /// complain() on a line of its own: the progress line, if there is one, stays above it.
  void complain(const std::string& text);
  /// Whether output was lost, other than to a reader that had enough.
  bool lost() const { return lost_; }

 private:
  void write(const std::string& bytes);

  bool is_terminal_;
  bool open_ = true;
  bool lost_ = false;
  bool progress_shown_ = false;
};

/// On standard error: "torchlight: text". One line, or as many as an error of the library has; printable.
void complain(const std::string& text);

/// Files that we open must not take the numbers of closed standard streams. Writing to those stays an error.
void fill_closed_streams();

}  // namespace command
