// Whoever looks into the device's memory from the host's side ends there: so no test passes by luck.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "table_calls.h"

namespace {

/// The signal that ends a child that does this; 0 if it ends by itself.
int signal_of(const std::function<void()>& deed) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // no report of a sanitizer's
    deed();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void check_touches(void* memory, int expected) {
  auto* bytes = static_cast<volatile char*>(memory);
  CHECK(signal_of([&] { static_cast<void>(bytes[0]); }) == expected);
  CHECK(signal_of([&] { static_cast<void>(bytes[63]); }) == expected);
  CHECK(signal_of([&] { bytes[0] = 1; }) == expected);
}

}  // namespace

TEST_CASE("remote: a host that reads or writes the device's memory dies") {
  TableMemory memory(64);
  check_touches(memory.memory().base, SIGSEGV);
  CHECK(memory.read(nullptr).status == TL_OK);  // the device itself may
  CHECK(ask(table().stream_sync, static_cast<tl_stream*>(nullptr)).status == TL_OK);
}

TEST_CASE("remote: that is so while it works there, and after the memory's release") {
  control().set_delay(remote_handle(), 2000);
  void* base = nullptr;
  {
    TableMemory memory(64);
    base = memory.memory().base;
    for (int i = 0; i < 10; ++i) CHECK(memory.write(nullptr).status == TL_OK);
    check_touches(base, SIGSEGV);
    CHECK(ask(table().stream_sync, static_cast<tl_stream*>(nullptr)).status == TL_OK);
  }
  control().set_delay(remote_handle(), 0);
  check_touches(base, SIGSEGV);
}

TEST_CASE("remote: the control: memory of the host's own can be touched") {
  std::vector<char> memory(64);
  check_touches(memory.data(), 0);
}
