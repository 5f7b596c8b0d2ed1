// What goes wrong in a call after a good probe: the call fails with the file and what happened, the
// process lives, and the next call works. The stand-in misbehaves only on rows of 77 columns, which no
// probe tries.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "kernels.h"
#include "tensor.h"
#include "wire.h"

using namespace test;

namespace {

/// A softmax of four rows. What came of it: "" or the error.
std::string softmax(DropIns& drop_ins, std::int64_t columns) {
  Tensor<> x({4, columns}), y({4, columns});
  x.random(std::uint64_t(columns));
  tl_attn_softmax_fw_args args{};
  args.head.size = sizeof args;
  args.input = &x.view;
  args.output = &y.view;
  args.scale = 1;
  std::string why, error;
  if (!drop_ins.takes(args, &why)) return "declined: " + why;
  const std::int32_t status = drop_ins.run(args, error);
  if (status != TL_OK) {
    CHECK(status == TL_E_INTERNAL);
    for (const float value : y.values) CHECK(value == 77);  // as it was
    return error;
  }
  double sum = 0;
  for (const float value : y.values) sum += double(value);
  CHECK(std::abs(sum - 4) < 1e-4);
  return error;
}

struct Fault {
  const char* name;
  const char* error;
};

constexpr Fault faults[] = {
    {"exit", "it ended its process with exit(1), after printing \"CUDA error: no device\""},
    {"throw", "it threw std::runtime_error: out of range"},
    {"throw_int", "it threw int"},
    {"hang", "it did not return within 3.0 s"},
    {"crash", "it crashed: Segmentation fault"},
    {"abort", "it crashed: Aborted"},
    {"close_all", "it ended its process with exit(1)"},
    {"talk", "it wrote into the connection to this process"},
    {"untouched",
     "it returned and left its data unchanged, after printing \"CUDA error: invalid configuration\""},
    {"behind", "it wrote outside of its buffers"},
    {"before", "it wrote outside of its buffers"},
    {"nan", "it gave NaN for finite numbers"},
    {"wrong", "it gave a row whose sum is 1.250000, not 1"},
};

}  // namespace

TEST_CASE("a call that goes wrong is an error with the file's name, and the next one works") {
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.name));
    const Kernels kernels(std::string("at=77 fault=") + fault.name);
    const std::string path = kernels.put("softmax", "softmax_kernel.so") + ": ";
    drop_ins::Options options = kernels.options();
    options.limits.call_seconds = 3;
    DropIns drop_ins(options);
    CHECK(softmax(drop_ins, 76) == "");
    const std::string error = path + "attn_softmax_fw: " + fault.error;
    // Each success makes good a failure before it.
    for (int twice = 0; twice < 2; ++twice) {
      CHECK(softmax(drop_ins, 77) == error);
      CHECK(softmax(drop_ins, 76) == "");
    }
    CHECK(softmax(drop_ins, 77) == error);
    CHECK(softmax(drop_ins, 77) == error + "; it failed twice in a row, and isn't used any more");
    CHECK(softmax(drop_ins, 76) ==
          "declined: " + path + "it failed twice in a row, and isn't used any more: " + fault.error);
  }
}

TEST_CASE("calls that are merely rude succeed") {
  for (const char* name : {"fork", "shrink", "flood", "none"}) {
    CAPTURE(std::string(name));
    const Kernels kernels(std::string("at=77 fault=") + name);
    kernels.put("softmax", "softmax_kernel.so");
    drop_ins::Options options = kernels.options();
    options.limits.call_seconds = 20;
    DropIns drop_ins(options);
    for (const std::int64_t columns : {77, 76, 77, 77}) CHECK(softmax(drop_ins, columns) == "");
  }
}

TEST_CASE("a program that doesn't want to hear of its children") {
  const Kernels kernels("at=77 fault=exit");
  const std::string path = kernels.put("softmax", "softmax_kernel.so") + ": ";
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  {
    DropIns drop_ins(kernels.options());
    CHECK(softmax(drop_ins, 76) == "");
    CHECK(softmax(drop_ins, 77) == path +
                                       "attn_softmax_fw: it ended its process in a way that can't be "
                                       "told, after printing \"CUDA error: no "
                                       "device\"");
    CHECK(softmax(drop_ins, 76) == "");
  }
  ::signal(SIGCHLD, before);
}

TEST_CASE("a call for which there is no memory is no failure of the drop-in") {
  const Kernels kernels;
  kernels.put("softmax", "softmax_kernel.so");
  DropIns drop_ins(kernels.options());
  drop_ins.list();  // probes it
  Tensor<> x({4, 76}, 0), y({4, 76});
  tl_attn_softmax_fw_args args{};
  args.head.size = sizeof args;
  args.input = &x.view;
  args.output = &y.view;
  args.scale = 1;
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const struct rlimit none { 0, before.rlim_max };
  for (int i = 0; i < 3; ++i) {
    std::string error;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const std::int32_t status = drop_ins.run(args, error);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(status == TL_E_MEMORY);
    CHECK(error.find("no memory to share with its helper") != error.npos);
  }
  CHECK(softmax(drop_ins, 76) == "");
}

TEST_CASE("memory to share is there when it is made, not when it is first written") {
  constexpr std::size_t bytes = std::size_t{40} << 20;
  drop_ins::Region region;
  REQUIRE(region.create(bytes));
  struct stat status {};
  REQUIRE(::fstat(region.descriptor(), &status) == 0);
  CHECK(std::size_t(status.st_size) == bytes);
  CHECK(std::size_t(status.st_blocks) * 512 >= bytes);
}

TEST_CASE("many threads call one drop-in") {
  const Kernels kernels;
  kernels.put("softmax", "softmax_kernel.so");
  DropIns drop_ins(kernels.options());
  std::vector<std::string> errors(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < errors.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t columns = 1; columns < 60; ++columns)
        errors[t] += softmax(drop_ins, columns + std::int64_t(t));
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) CHECK(error == "");
}

TEST_CASE("a forked child goes without, and its end disturbs nobody") {
  const Kernels kernels;
  const std::string path = kernels.put("softmax", "softmax_kernel.so") + ": ";
  auto drop_ins = std::make_unique<DropIns>(kernels.options());
  CHECK(softmax(*drop_ins, 5) == "");
  const pid_t child = ::fork();
  if (child == 0) {
    const bool refused = softmax(*drop_ins, 5) ==
                         "declined: " + path +
                             "kernel drop-ins belong to the process that this one was forked from; "
                             "it goes on without them";
    drop_ins.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(softmax(*drop_ins, 5) == "");
}

TEST_CASE("the helper has none of this process's descriptors and signal masks, and goes with it") {
  const Kernels kernels;
  kernels.put("softmax", "softmax_kernel.so");
  int alive[2];  // the write end is inherited by the child, and by its helper if anything is
  REQUIRE(::pipe(alive) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    DropIns drop_ins(kernels.options());
    if (softmax(drop_ins, 5) != "") ::_exit(1);
    ::_exit(0);  // no destructor runs
  }
  ::close(alive[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  char byte;
  CHECK(::read(alive[0], &byte, 1) == 0);  // nobody has the other end
  ::close(alive[0]);
}

TEST_CASE("a helper that hangs in a call goes with the process that asked") {
  const Kernels kernels("at=77 fault=hang");
  kernels.put("softmax", "softmax_kernel.so");
  Kernels::behave("at=77 fault=hang touch=" + kernels.path("hangs"));
  const std::string pids = kernels.path("pids");
  const pid_t child = ::fork();
  if (child == 0) {
    DropIns drop_ins(kernels.options());
    softmax(drop_ins, 5);
    // The helper is the only child of this process. What lies in /proc has no size to copy by.
    std::ofstream(pids) << std::ifstream("/proc/thread-self/children").rdbuf();
    std::thread([&] { softmax(drop_ins, 77); }).detach();
    while (!std::filesystem::exists(kernels.path("hangs"))) ::usleep(1000);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  int helper = 0;
  std::ifstream(pids) >> helper;
  REQUIRE(helper > 0);
  // An end that nobody waits for leaves an entry behind, in state Z.
  const auto lives = [&] {
    std::string process, name, state;
    return std::ifstream("/proc/" + std::to_string(helper) + "/stat") >> process >> name >> state &&
           state != "Z";
  };
  for (int tries = 0; tries < 300 && lives(); ++tries) ::usleep(100'000);
  CHECK_FALSE(lives());
}
