#include "cases.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "../child.h"
#include "perform.h"

namespace torchlight::drop_ins {
namespace {

/// What the child writes and the parent reads.
struct Progress {
  std::atomic<std::size_t> current;
  Verdict verdicts[1];  // as many as there are cases
};

class SharedProgress {
 public:
  explicit SharedProgress(std::size_t count) : bytes_(sizeof(Progress) + count * sizeof(Verdict)) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("no memory for the probe");
  }
  ~SharedProgress() { ::munmap(memory_, bytes_); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  Progress* operator->() const { return static_cast<Progress*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

void do_case(std::size_t i, Verdict& verdict, const std::function<void(std::size_t, Verdict&)>& step) {
  const pid_t me = ::getpid();
  try {
    step(i, verdict);
  } catch (...) {
    verdict.kind = Verdict::wrong;
    put_text(verdict.text, thrown_words());
  }
  if (::getpid() != me) ::_exit(0);  // a launcher that forked came back twice
  if (::fcntl(helper_socket, F_GETFD) < 0) {
    verdict.kind = Verdict::wrong;
    put_text(verdict.text, "it closes file descriptors that aren't its own");
  }
}

[[noreturn]] void be_child(std::size_t from, std::size_t count, int print_to, const SharedProgress& progress,
                           const std::function<void(std::size_t, Verdict&)>& step) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(print_to, STDOUT_FILENO);
  ::dup2(print_to, STDERR_FILENO);
  // Not for foreign code; something else stands there, to see whether it is left alone.
  ::dup2(STDIN_FILENO, helper_socket);
  ::close(print_to);
  for (std::size_t i = from; i < count; ++i) {
    progress->current = i;
    do_case(i, progress->verdicts[i], step);
    if (progress->verdicts[i].kind != Verdict::right) break;
  }
  ::fflush(nullptr);
  progress->current = count;
  ::_exit(0);
}

Child start_child(std::size_t from, std::size_t count, const SharedProgress& progress,
                  const std::function<void(std::size_t, Verdict&)>& step) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the probe");
  const pid_t pid = ::fork();
  if (pid == 0) be_child(from, count, ends[1], progress, step);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    throw std::runtime_error("no process for the probe");
  }
  ::setpgid(pid, pid);  // whoever comes first
  return Child(pid, ends[0]);
}

std::string seconds(double s) { return std::to_string(s).substr(0, std::to_string(s).find('.') + 2) + " s"; }

/// Whether the plug-in's process went away meanwhile: then nobody wants to know.
bool nobody_asks() {
  pollfd socket{helper_socket, 0, 0};
  return ::poll(&socket, 1, 0) > 0 && (socket.revents & (POLLHUP | POLLERR)) != 0;
}

/// After so many steps that didn't return, the others aren't waited for.
constexpr int most_hangs = 3;
int hangs = 0;

/// Waits for a child, with a fresh time limit for each case. Says where it ended, if not at the end of its work.
void watch(Child& child, std::size_t from, std::size_t count, const SharedProgress& progress, const Limits& limits) {
  std::size_t seen = from;
  double allowed = limits.load_seconds;
  auto until = after(allowed);
  for (;;) {
    const Child::Event event = child.wait(-1, std::min(until, after(0.25)));
    if (nobody_asks()) {
      child.kill();
      ::_exit(0);
    }
    const std::size_t now = progress->current;
    if (event == Child::Event::over) break;
    if (now != seen && now < count) {
      seen = now;
      allowed = limits.step_seconds;
      until = after(allowed);
    } else if (Clock::now() >= until) {
      break;
    }
  }
  const std::size_t at = progress->current;
  if (at >= count) return;
  Verdict& verdict = progress->verdicts[at];
  const bool late = child.wait(-1, Clock::now()) != Child::Event::over;
  child.kill();
  hangs += late;
  verdict.kind = Verdict::ended;
  put_text(verdict.text, late ? "it did not return within " + seconds(allowed) + child.printed()
                              : "it " + child.how_it_ended());
}

}  // namespace

std::vector<Verdict> run_cases(std::size_t count, const Limits& limits, bool all,
                               const std::function<void(std::size_t, Verdict&)>& step) {
  static const Clock::time_point end = after(limits.probe_seconds);
  const SharedProgress progress(count);
  for (std::size_t i = 0; i < count; ++i) new (&progress->verdicts[i]) Verdict;
  for (std::size_t next = 0; next < count;) {
    if (Clock::now() >= end || hangs >= most_hangs) {
      progress->verdicts[next].kind = Verdict::ended;
      put_text(progress->verdicts[next].text,
               hangs >= most_hangs ? "not tried, since other steps did not return" : "the probe's time was up");
      break;
    }
    progress->current = next;
    {
      Child child = start_child(next, count, progress, step);
      watch(child, next, count, progress, limits);
      while (next < count && progress->verdicts[next].kind == Verdict::right) ++next;
      if (next < count && progress->verdicts[next].kind == Verdict::wrong)
        put_text(progress->verdicts[next].text, progress->verdicts[next].text + child.printed());
    }
    if (!all && next < count) break;
    ++next;  // past the one that wasn't
  }
  return {progress->verdicts, progress->verdicts + count};
}

}  // namespace torchlight::drop_ins
