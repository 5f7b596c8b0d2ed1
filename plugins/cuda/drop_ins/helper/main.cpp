// drop-in-host: runs the code of one kernel drop-in, so that nothing it does can end the user's
// process. Started by the client with a socket as descriptor 3; it is of no use by hand.
#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "../wire.h"
#include "probe.h"

namespace torchlight::drop_ins {
namespace {

/// A launcher may hang while the process that asked goes away. Nobody else would end this one then.
void leave_with_the_client(pid_t client) {
  std::thread([client] {
    for (;;) {
      pollfd socket{helper_socket, 0, 0};
      ::poll(&socket, 1, 500);
      if ((socket.revents & (POLLHUP | POLLERR)) != 0 || ::getppid() != client) ::_exit(0);
      if ((socket.revents & POLLNVAL) != 0) ::usleep(500'000);
    }
  }).detach();
}

class Server {
 public:
  explicit Server(const Start& start) : start_(start), me_(::getpid()) {}

  void serve() {
    Request request;
    int descriptor = -1;
    while (receive(helper_socket, request, &descriptor) == Received::message) {
      Answer answer;
      answer.number = request.number;
      const std::string problem = answer_to(request, descriptor);
      // A launcher that forked came back twice, and only one of the two is asked.
      if (::getpid() != me_) ::_exit(0);
      answer.failed = !problem.empty();
      put_text(answer.text, problem);
      std::fflush(nullptr);
      if (!send(helper_socket, answer)) ::_exit(1);
    }
  }

 private:
  std::string answer_to(const Request& request, int descriptor) {
    if (request.region_bytes > 0 && !region_.adopt(descriptor, request.region_bytes))
      return "the helper has no room for the call's memory";
    if (!is_sound(request.call) || layout_of(request.call).floats * sizeof(float) > region_.bytes())
      return "the call makes no sense";
    try {
      if (!launchers_) launchers_.emplace(start_.path, start_.family);
      const Form& form = start_.description.forms[static_cast<int>(request.call.op)];
      if (!form.accepted || !launchers_->function(request.call.op)) return "the file doesn't do this";
      perform(*launchers_, form, request.call, region_.floats());
      return {};
    } catch (...) {
      return thrown_words();
    }
  }

  const Start& start_;
  const pid_t me_;
  std::optional<Launchers> launchers_;
  Region region_;
};

int run() {
  const pid_t client = ::getppid();
  static Start start;
  if (receive(helper_socket, start) != Received::message || start.magic != Start::magic_value) {
    std::fputs("drop-in-host serves a plug-in of Torchlight, which starts it by itself\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (!start.known) {
    start.description = probe(start.path, start.family, start.limits);
    if (!send(helper_socket, start.description)) return 1;
  }
  leave_with_the_client(client);
  Server(start).serve();
  return 0;
}

}  // namespace
}  // namespace torchlight::drop_ins

// A crash is told as the signal that it is, and foreign code may leak.
#define UNWATCHED "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:"
extern "C" __attribute__((used)) const char* __asan_default_options() {
  return UNWATCHED "detect_leaks=0";
}
extern "C" __attribute__((used)) const char* __tsan_default_options() {
  return UNWATCHED "atexit_sleep_ms=0";
}

int main() {
  // What the drop-in has registered for the end of the process isn't waited for.
  ::_exit(torchlight::drop_ins::run());
}
