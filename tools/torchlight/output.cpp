#include "output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <torchlight/error.h>

#include "text.h"

namespace command {
namespace {

constexpr const char* clear_to_end = "\x1b[K";

bool has_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

bool can_redraw() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) && term && *term && std::string_view(term) != "dumb" &&
         !has_value("NO_COLOR");
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// False, with errno, where the bytes can't be written.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Output::Output() : is_terminal_(can_redraw()) { std::signal(SIGPIPE, SIG_IGN); }

void Output::write(const std::string& bytes) {
  if (!open_ || write_all(STDOUT_FILENO, bytes)) return;
  open_ = false;
  if (errno == EPIPE) return;
  lost_ = true;
  command::complain(std::string("can't write to standard output: ") + std::strerror(errno));
}

void Output::line(const std::string& text) { lines(torchlight::printable(text)); }

void Output::lines(const std::string& text) {
  write(progress_shown_ ? format("\r%s%s\n", text.c_str(), clear_to_end) : text + "\n");
  progress_shown_ = false;
}

void Output::progress(const std::string& text) {
  if (!is_terminal_) return;
  write(format("\r%s%s", text.substr(0, terminal_width() - 1).c_str(), clear_to_end));
  progress_shown_ = true;
}

void Output::complain(const std::string& text) {
  if (progress_shown_) write("\n");
  progress_shown_ = false;
  command::complain(text);
}

void complain(const std::string& text) {
  // An Error makes its text printable, and lines of it stay lines.
  write_all(STDERR_FILENO, std::string("torchlight: ") + torchlight::Error(text).what() + "\n");
}

void fill_closed_streams() {
  // Read only: what is written to a closed stream is still an error, and not swallowed.
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

}  // namespace command
