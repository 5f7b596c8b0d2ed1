#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "child.h"
#include "support/cpu_limit.h"
#include "support/environment.h"
#include "support/text.h"

using namespace torchlight;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

child::Output log_lines(const char* level) {
  return child::program({SUPPORT_PROBE, "log"}, {{"TORCHLIGHT_LOG", level}});
}

// A made-up system with files of this content, for cpu_quota.
class FakeRoot {
 public:
  FakeRoot() : path_(fs::temp_directory_path() / ("torchlight_quota_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
  }
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot& file(const std::string& name, const std::string& content) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    return *this;
  }
  std::optional<double> quota() const { return cpu_quota(path_); }

 private:
  fs::path path_;
};

constexpr auto unified_mount =
    "30 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr auto cpu_mount = "31 23 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n";

}  // namespace

TEST_CASE("environment: the table lists all variables") {
  std::vector<std::string_view> names;
  for (const environment::Variable& variable : environment::variables()) {
    names.push_back(variable.name);
    CHECK(!variable.meaning.empty());
  }
  CHECK(names == std::vector<std::string_view>{
                     "TORCHLIGHT_DEVICE", "TORCHLIGHT_PLUGIN_PATH", "TORCHLIGHT_CUDA_KERNEL_DIR",
                     "TORCHLIGHT_DROP_INS", "TORCHLIGHT_FALLBACK", "TORCHLIGHT_NUM_THREADS",
                     "TORCHLIGHT_SIMD", "TORCHLIGHT_FUSION", "TORCHLIGHT_TWIN_CACHE",
                     "TORCHLIGHT_TWIN_MODE", "TORCHLIGHT_TWIN_CLANG", "TORCHLIGHT_TWIN_ARCH",
                     "TORCHLIGHT_LOG", "TORCHLIGHT_TRUST_ALL"});
}

TEST_CASE("environment: values stay as they were at first use, the device alone is looked up again") {
  const auto output = child::program({SUPPORT_PROBE, "environment"},
                                     {{"TORCHLIGHT_SIMD", "avx2"}, {"TORCHLIGHT_DEVICE", "a"}});
  CHECK(output.text == "first=avx2\nlater=avx2\ndevice_first=a\ndevice_now=changed\n");
}

TEST_CASE("environment: empty means unset, and an unknown name has no value") {
  const auto output = child::program({SUPPORT_PROBE, "environment"}, {{"TORCHLIGHT_SIMD", ""}});
  CHECK(contains(output.text, "first=(nothing)\nlater=(nothing)\n"));
  CHECK(!environment::get("PATH").has_value());
}

TEST_CASE("log: the level chooses the lines, warn by default") {
  CHECK(child::program({SUPPORT_PROBE, "log"}).text ==
        "torchlight warning: a warn line\ntorchlight error: an error line\\x0awith \\x1b[31ma break\n");
  CHECK(count_of(log_lines("trace").text, "\n") == 5);
  CHECK(count_of(log_lines("debug").text, "\n") == 4);
  CHECK(count_of(log_lines("info").text, "\n") == 3);
  CHECK(count_of(log_lines("error").text, "\n") == 1);
  CHECK(log_lines("off").text.empty());
}

TEST_CASE("log: an unknown level is one warning that lists the known ones") {
  const std::string text = log_lines("loud").text;
  CHECK(count_of(text, "\n") == 3);
  CHECK(count_of(text, "unknown level 'loud'") == 1);
  CHECK(contains(text, "trace, debug, info, warn, error, off"));
}

TEST_CASE("log: works until the very end of the process") {
  const auto output = child::program({SUPPORT_PROBE, "log_at_exit"});
  CHECK(output.status == 0);
  CHECK(output.text == "torchlight warning: said after main\n");
}

TEST_CASE("H05: a CPU quota of control groups version 2 counts, also one further up") {
  FakeRoot root;
  root.file("proc/self/mountinfo", unified_mount).file("proc/self/cgroup", "0::/user/app\n");
  CHECK(!root.quota());
  root.file("sys/fs/cgroup/user/app/cpu.max", "max 100000\n");
  CHECK(!root.quota());
  root.file("sys/fs/cgroup/user/app/cpu.max", "150000 100000\n");
  CHECK(root.quota() == 1.5);
  root.file("sys/fs/cgroup/user/cpu.max", "100000 100000\n");
  CHECK(root.quota() == 1.0);
  root.file("sys/fs/cgroup/other/cpu.max", "1000 100000\n");
  CHECK(root.quota() == 1.0);
}

TEST_CASE("H05: in a container the group's folder is itself the root of the mount") {
  FakeRoot root;
  root.file("proc/self/mountinfo", unified_mount).file("proc/self/cgroup", "0::/\n");
  root.file("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(root.quota() == 2.0);
  root.file("proc/self/mountinfo",
            "31 23 0:29 /docker/ab /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  root.file("proc/self/cgroup", "5:cpu:/docker/ab\n");
  root.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n")
      .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(root.quota() == 0.5);
}

TEST_CASE("H05: a CPU quota of control groups version 1 counts") {
  FakeRoot root;
  root.file("proc/self/mountinfo", std::string(unified_mount).append(cpu_mount));
  root.file("proc/self/cgroup", "9:memory:/elsewhere\n4:cpu,cpuacct:/job\n0::/\n");
  root.file("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  CHECK(!root.quota());
  root.file("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n");
  CHECK(root.quota() == 3.0);
}

TEST_CASE("H05: broken files of control groups mean no quota") {
  FakeRoot root;
  CHECK(!root.quota());
  root.file("proc/self/mountinfo", "nonsense\n\n- -\n" + std::string(unified_mount));
  root.file("proc/self/cgroup", "nonsense\n0:\n").file("sys/fs/cgroup/cpu.max", "nonsense\n");
  CHECK(!root.quota());
  root.file("sys/fs/cgroup/cpu.max", "100000 0\n");
  CHECK(!root.quota());
}

TEST_CASE("text: puts words and numbers together, whatever the locale") {
  const std::string words = "words";
  CHECK(text("some ", words, std::string_view(", "), 'c', " ", -3, " ", ~std::uint64_t{0}, " ", true) ==
        "some words, c -3 18446744073709551615 1");
  CHECK(text(1e-5, " ", 0.1f, " ", 1234567.0, " ", -2.0, " ", 1.0 / 0.0) ==
        "1e-05 0.1 1.23457e+06 -2 inf");
  CHECK(text().empty());
}
