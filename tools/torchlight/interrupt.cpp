#include "interrupt.h"

#include <csignal>

namespace command {
namespace {

volatile std::sig_atomic_t signal_number = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int number) {
    signal_number = number;
    // Either kind may be the second one.
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int interrupted() { return signal_number; }

}  // namespace command
