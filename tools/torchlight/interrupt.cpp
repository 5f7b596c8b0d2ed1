#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace command {
namespace {

volatile std::sig_atomic_t signal_number = 0;

void remember(int number);

// What is ignored (nohup, a job in the background of a script) stays so.
void replace(int number, void (*from)(int), void (*to)(int)) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler != from) return;
  action.sa_handler = to;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

void remember(int number) {
  signal_number = number;
  // Either kind may be the second one. But a terminal that closes sends SIGHUP more than once, by itself and
  // by its shell, and nobody there wants to hurry.
  replace(SIGINT, remember, SIG_DFL);
  replace(SIGTERM, remember, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) replace(number, SIG_DFL, remember);
}

int interrupted() { return signal_number; }

}  // namespace command
