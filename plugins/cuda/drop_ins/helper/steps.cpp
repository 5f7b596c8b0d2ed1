#include "steps.h"

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <new>
#include <stdexcept>

#include "perform.h"

namespace torchlight::drop_ins {
namespace {

constexpr std::size_t most_steps = 256;
/// After so many that didn't return, the others aren't waited for.
constexpr int most_hangs = 3;

/// Whether the plug-in's process went away meanwhile: then nobody wants to know.
bool nobody_asks() {
  pollfd socket{helper_socket, 0, 0};
  return ::poll(&socket, 1, 0) > 0 && (socket.revents & (POLLHUP | POLLERR)) != 0;
}

/// Waits a few milliseconds.
bool is_posted(sem_t& semaphore) {
  timespec until{};
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  constexpr long second = 1'000'000'000, moment = 4'000'000;
  until.tv_nsec += moment;
  until.tv_sec += until.tv_nsec / second;
  until.tv_nsec %= second;
  return ::sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0;
}

std::string in_seconds(double seconds) {
  const std::string digits = std::to_string(seconds);
  return digits.substr(0, digits.find('.') + 2) + " s";
}

}  // namespace

/// Memory of parent and child: the work goes one way and the verdicts the other, without descriptors,
/// which foreign code might close.
struct Steps::Shared {
  sem_t work, done;
  std::size_t from, count;
  std::atomic<std::size_t> current;
  Step steps[most_steps];
  Verdict verdicts[most_steps];
};

Steps::Steps(const std::string& path, Family family, const Limits& limits)
    : path_(path), family_(family), limits_(limits), end_(after(limits.probe_seconds)) {
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the probe");
  shared_ = new (memory) Shared;
}

Steps::~Steps() {
  child_.reset();
  ::munmap(shared_, sizeof(Shared));
}

void Steps::do_step(std::size_t i) {
  static LazyLaunchers launchers(path_, family_);
  Verdict verdict;
  const pid_t me = ::getpid();
  try {
    drop_ins::do_step(shared_->steps[i], launchers, verdict);
  } catch (...) {
    verdict.kind = Verdict::wrong;
    put_text(verdict.text, thrown_words());
  }
  if (::getpid() != me) ::_exit(0);  // a launcher that forked came back twice
  if (::fcntl(helper_socket, F_GETFD) < 0) {
    verdict.kind = Verdict::wrong;
    put_text(verdict.text, "it closes file descriptors that aren't its own");
  }
  shared_->verdicts[i] = verdict;
}

void Steps::be_child(int print_to) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(print_to, STDOUT_FILENO);
  ::dup2(print_to, STDERR_FILENO);
  // Not for foreign code; something else stands there, to see whether it is left alone.
  ::dup2(STDIN_FILENO, helper_socket);
  ::close(print_to);
  for (;;) {
    while (::sem_wait(&shared_->work) != 0) {
    }
    for (std::size_t i = shared_->from; i < shared_->count; ++i) {
      shared_->current = i;
      do_step(i);
      if (shared_->verdicts[i].kind != Verdict::right) break;
    }
    std::fflush(nullptr);
    ::sem_post(&shared_->done);
  }
}

void Steps::start_child() {
  ::sem_init(&shared_->work, 1, 0);
  ::sem_init(&shared_->done, 1, 0);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the probe");
  const pid_t pid = ::fork();
  if (pid == 0) be_child(ends[1]);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    throw std::runtime_error("no process for the probe");
  }
  ::setpgid(pid, pid);  // whoever comes first
  child_ = std::make_unique<Child>(pid, ends[0]);
}

/// Waits for the child, with a fresh time limit for each step, and says where it ended, if not with its
/// work.
void Steps::watch(std::size_t from, std::size_t count, bool fresh) {
  std::size_t seen = from;
  double allowed = fresh ? limits_.load_seconds : limits_.step_seconds;
  auto until = after(allowed);
  bool late = false;
  while (!late) {
    if (is_posted(shared_->done)) return;
    if (child_->wait(-1, Clock::now()) == Child::Event::over) break;
    if (nobody_asks()) {
      child_->kill();
      ::_exit(0);
    }
    if (const std::size_t now = shared_->current; now != seen) {
      seen = now;
      allowed = limits_.step_seconds;
      until = after(allowed);
    }
    late = Clock::now() >= until;
  }
  child_->kill();
  hangs_ += late;
  Verdict& verdict = shared_->verdicts[std::min<std::size_t>(shared_->current, count - 1)];
  verdict.kind = Verdict::ended;
  put_text(verdict.text, late ? "it did not return within " + in_seconds(allowed) + child_->printed()
                              : "it " + child_->how_it_ended());
}

bool Steps::is_hopeless(Verdict& verdict) const {
  if (Clock::now() < end_ && hangs_ < most_hangs) return false;
  verdict.kind = Verdict::ended;
  put_text(verdict.text, hangs_ < most_hangs ? "the probe's time was up"
                                             : "not tried, since other steps did not return");
  return true;
}

std::vector<Verdict> Steps::run(const std::vector<Step>& steps, bool all) {
  const std::size_t count = std::min(steps.size(), most_steps);
  std::copy_n(steps.begin(), count, shared_->steps);
  std::fill_n(shared_->verdicts, count, Verdict{});
  shared_->count = count;
  for (std::size_t next = 0; next < count; ++next) {
    Verdict* verdicts = shared_->verdicts;
    if (is_hopeless(verdicts[next])) break;
    const bool fresh = !child_;
    if (fresh) start_child();
    shared_->current = shared_->from = next;
    child_->forget_printed();
    ::sem_post(&shared_->work);
    watch(next, count, fresh);
    while (next < count && verdicts[next].kind == Verdict::right) ++next;
    if (next == count) break;
    child_->wait(-1, Clock::now());  // for what it printed
    if (verdicts[next].kind == Verdict::wrong)
      put_text(verdicts[next].text, verdicts[next].text + child_->printed());
    child_.reset();
    if (!all) break;
  }
  return {shared_->verdicts, shared_->verdicts + count};
}

}  // namespace torchlight::drop_ins
