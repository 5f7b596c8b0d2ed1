#include "guarded.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>

#include <doctest/doctest.h>

using namespace torchlight::test;

namespace {

/// The exit status of a child that does this, and what it prints.
struct Outcome {
  int status;
  std::string output;
};
Outcome in_child(const std::function<void()>& act) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::cout.flush();  // or the child prints what waits there, too
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    report_crashes();
    set_current_activity("some case");
    act();
    _exit(0);
  }
  close(ends[1]);
  Outcome outcome{0, std::string(4096, '\0')};
  const ssize_t bytes = read(ends[0], outcome.output.data(), outcome.output.size());
  outcome.output.resize(static_cast<std::size_t>(bytes));
  close(ends[0]);
  waitpid(child, &outcome.status, 0);
  outcome.status = WEXITSTATUS(outcome.status);
  return outcome;
}

void touch(std::byte* p) { *const_cast<volatile std::byte*>(p) = std::byte{1}; }

}  // namespace

TEST_CASE("guarded pages: the buffer itself can be used to its last byte") {
  GuardedPages pages("input");
  for (Placement placement : {Placement::at_begin, Placement::at_end}) {
    for (std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{100'000}}) {
      auto buffer = pages.place(bytes, placement);
      for (std::byte& b : buffer) b = std::byte{7};
      CHECK(buffer.size() == bytes);
      CHECK(pages.intact());
    }
  }
}

TEST_CASE("guarded pages: a write on the side without a guard is found") {
  GuardedPages pages("input");
  touch(pages.place(64, Placement::at_end).data() - 1);
  CHECK_FALSE(pages.intact());
  touch(pages.place(64, Placement::at_begin).data() + 64 + 100);
  CHECK_FALSE(pages.intact());
  touch(pages.place(64, Placement::at_begin, 16).data() - 1);
  CHECK_FALSE(pages.intact());
  pages.place(64, Placement::at_end);
  CHECK(pages.intact());
}

TEST_CASE("guarded pages: an access beyond the guard ends the process and names the operand") {
  GuardedPages pages("input");
  const auto behind = in_child([&] { touch(pages.place(64, Placement::at_end).data() + 64 + 5); });
  CHECK(behind.status == 3);
  CHECK(behind.output == "FAILED some case: Segmentation fault at input: 5 bytes behind its end\n");
  const auto before = in_child([&] { touch(pages.place(64, Placement::at_begin).data() - 2); });
  CHECK(before.status == 3);
  CHECK(before.output == "FAILED some case: Segmentation fault at input: 2 bytes before its begin\n");
}
