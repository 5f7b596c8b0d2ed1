#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace torchlight::drop_ins {
namespace {

constexpr std::size_t most_kept = 2048;
constexpr int unknown = -1;

}  // namespace

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Child::Child(pid_t pid, int printed) : pid_(pid), printed_(printed) {
  if (printed_ >= 0) ::fcntl(printed_, F_SETFL, ::fcntl(printed_, F_GETFL) | O_NONBLOCK);
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(printed_, other.printed_);
  std::swap(over_, other.over_);
  std::swap(status_, other.status_);
  std::swap(text_, other.text_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) kill();
  if (printed_ >= 0) ::close(printed_);
}

void Child::abandon() { pid_ = -1; }

void Child::kill() {
  if (is_over()) return;
  ::kill(-pid_, SIGKILL);  // what it started, too
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  over_ = true;
}

bool Child::is_over() {
  if (over_) return true;
  siginfo_t info{};
  const int got = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (got == 0 && info.si_pid == 0) return false;
  if (got != 0 && errno == EINTR) return false;
  if (got != 0) return over_ = true;  // somebody waits for all children of this process: status unknown
  // Not waited for yet, so nobody else has its number: what is left of its group can be ended.
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  return over_ = true;
}

void Child::read_printed() {
  char buffer[4096];
  for (int rounds = 0; printed_ >= 0 && rounds < 64; ++rounds) {
    const ssize_t got = ::read(printed_, buffer, sizeof buffer);
    if (got > 0) {
      const std::size_t kept = std::min(static_cast<std::size_t>(got), most_kept - text_.size());
      text_.append(buffer, kept);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else {
      ::close(printed_);
      printed_ = -1;
    }
  }
}

Child::Event Child::wait(int fd, Clock::time_point until) {
  for (;;) {
    // Whatever holds the pipe open may outlive the child, so its end must be looked for, too; soon,
    // once the pipe is closed, which a process does just before it is over.
    const long long slice = printed_ >= 0 ? 20 : 1;  // milliseconds
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waiting[] = {{fd, POLLIN, 0}, {printed_, POLLIN, 0}};
    const int got = ::poll(waiting, 2, static_cast<int>(std::clamp<long long>(left, 0, slice)));
    if (waiting[1].revents != 0 && got > 0) read_printed();
    if (waiting[0].revents != 0 && got > 0) return Event::readable;
    if (is_over()) {
      read_printed();
      return Event::over;
    }
    if (left <= 0) return Event::late;
  }
}

std::string Child::printed() const {
  const std::string line = first_line(text_);
  return line.empty() ? line : ", after printing \"" + line + "\"";
}

std::string Child::how_it_ended() const {
  std::string how = "ended its process";
  if (status_ == unknown)
    how += " in a way that can't be told";
  else if (WIFEXITED(status_))
    how += " with exit(" + std::to_string(WEXITSTATUS(status_)) + ")";
  else if (WIFSIGNALED(status_))
    how = std::string("crashed: ") + ::strsignal(WTERMSIG(status_));
  return how + printed();
}

std::string first_line(const std::string& text) {
  constexpr std::size_t most = 160;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  std::string line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  if (line.size() > most) line.replace(most, line.npos, "...");
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || (c & 0x80)) c = '?';
  return line;
}

}  // namespace torchlight::drop_ins
