#include "helper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace torchlight::drop_ins {
namespace {

class Descriptor {
 public:
  /// Moved above those that the child's are given, so that none is overwritten before it was used.
  explicit Descriptor(int descriptor) : value_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 10)) {
    ::close(descriptor);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

/// Starts it with nothing of this process but its environment: no descriptors, no signal mask, a group
/// of its own.
pid_t spawn(const std::string& program, int socket, int print_to) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, print_to, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, print_to, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, socket, helper_socket);
  ::posix_spawn_file_actions_addclosefrom_np(&files, helper_socket + 1);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, &attributes, arguments, environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  errno = error;
  return error == 0 ? pid : -1;
}

constexpr const char* meddled = "it wrote into the connection to this process";

std::string seconds_of(double seconds) {
  const std::string digits = std::to_string(seconds);
  return digits.substr(0, digits.find('.') + 2) + " s";
}

}  // namespace

std::unique_ptr<HelperProcess> HelperProcess::start(const std::string& program, std::string& problem) {
  int sockets[2], pipe[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    return problem = std::string("no socket for its helper: ") + std::strerror(errno), nullptr;
  Descriptor ours(sockets[0]), its(sockets[1]);
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    return problem = std::string("no pipe for its helper: ") + std::strerror(errno), nullptr;
  Descriptor printed(pipe[0]), print_to(pipe[1]);
  const pid_t pid = spawn(program, its.get(), print_to.get());
  if (pid < 0)
    return problem = "its helper " + program + " doesn't start: " + std::strerror(errno), nullptr;
  return std::unique_ptr<HelperProcess>(
      new HelperProcess(Child(pid, printed.release()), ours.release(), ::getpid()));
}

HelperProcess::~HelperProcess() {
  if (owner_ != ::getpid()) child_.abandon();
  ::close(socket_);
}

std::string HelperProcess::how_it_left() {
  // The socket closes a moment before the process is over.
  if (child_.wait(-1, after(2)) == Child::Event::over) return "it " + child_.how_it_ended();
  child_.kill();
  return "it closed the connection to this process" + child_.printed();
}

template <class T> std::string HelperProcess::await(T& message, double seconds) {
  switch (child_.wait(socket_, after(seconds))) {
    case Child::Event::readable:
      switch (receive(socket_, message)) {
        case Received::message: return {};
        case Received::other_message: return meddled;
        case Received::end: return how_it_left();
      }
      break;
    case Child::Event::over: return "it " + child_.how_it_ended();
    case Child::Event::late: break;
  }
  child_.kill();
  return "it did not return within " + seconds_of(seconds) + child_.printed();
}

std::string HelperProcess::begin(const Start& start) {
  return send(socket_, start) ? std::string() : how_it_left();
}

std::string HelperProcess::read_description(Description& description, double seconds) {
  if (std::string problem = await(description, seconds); !problem.empty()) return problem;
  for (Form& form : description.forms) form.reason[sizeof form.reason - 1] = 0;
  description.reason[sizeof description.reason - 1] = 0;
  return {};
}

std::string HelperProcess::call(const Call& call, const Region& region, bool is_new_region,
                                double seconds) {
  Request request;
  request.number = ++calls_;
  request.call = call;
  if (is_new_region) request.region_bytes = region.bytes();
  child_.forget_printed();
  if (!send(socket_, request, is_new_region ? region.descriptor() : -1)) return how_it_left();
  Answer answer;
  if (std::string problem = await(answer, seconds); !problem.empty()) return problem;
  if (answer.number != request.number) return meddled;
  answer.text[sizeof answer.text - 1] = 0;
  if (!answer.failed) return {};
  // What it printed may still be on its way.
  child_.wait(-1, Clock::now());
  return first_line(answer.text) + child_.printed();
}

}  // namespace torchlight::drop_ins
