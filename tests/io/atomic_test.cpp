#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::test::error_of, tl::test::read_file, tl::test::says, tl::test::Scratch;

namespace {

tl::StateDict model_of(float value) {
  return {{"w", tl::full({20000}, value)}, {"b", tl::full({10}, value)}};
}

// The one value that all of a saved model has.
float value_in(const std::string& path) {
  const tl::StateDict dict = tl::load(path);
  REQUIRE(dict.size() == 2);
  const float value = dict[1].tensor[0].item<float>();
  for (const auto& entry : dict) CHECK((entry.tensor == value).all().item<bool>());
  return value;
}

// Runs `body` in a child that has no threads of ours yet: the device is opened by the child itself.
template <class F> pid_t in_child(F body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

std::vector<std::string> only(const std::string& name) { return {name}; }

}  // namespace

TEST_CASE("F10: a save that is killed leaves the old or the new file, whole") {
  const Scratch scratch;
  const std::string path = scratch.file("a.safetensors");
  tl::save(model_of(0), path);
  int tries = 0, killed = 0;
  // On a busy machine it takes longer until the first save is through, so more tries wait longer.
  for (; tries < 200 || value_in(path) == 0; ++tries) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (float value = 1;; ++value) tl::save(model_of(value), path);
    }
    ::usleep(static_cast<useconds_t>(tries * 37 % 5000 * (1 + tries / 200)));
    ::kill(child, SIGKILL);
    killed += WIFSIGNALED(status_of(child));
    value_in(path);
  }
  CHECK(killed == tries);
}

TEST_CASE("F10: a disk that is full is reported; the old file stays, no other does") {
  const Scratch scratch;
  const std::string path = scratch.file("a.safetensors");
  tl::save(model_of(1), path);
  // A limit on the size of files stands in for the disk: writes fail in the middle.
  const pid_t child = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = error_of<tl::FileError>([&] { tl::save(model_of(2), path); });
    if (!says(error, "a.safetensors", "File too large")) ::_exit(1);
  });
  CHECK(status_of(child) == 0);
  CHECK(value_in(path) == 1);
  CHECK(scratch.names() == only("a.safetensors"));
}

TEST_CASE("F10: a device or FIFO is neither replaced nor waited for") {
  const Scratch scratch;
  const std::string path = scratch.file("fifo");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  for (const std::string& place : {path, std::string("/dev/null")}) {
    CHECK(says(error_of<tl::FileError>([&] { tl::save(model_of(1), place); }), place,
               "not a regular file"));
    CHECK(
        says(error_of<tl::FileError>([&] { tl::check_writable(place); }), place, "not a regular file"));
    CHECK(says(error_of<tl::FileError>([&] { tl::load(place); }), place, "not a regular file"));
  }
}

TEST_CASE("F10: a place that can't be written to is reported, now or beforehand") {
  const Scratch scratch;
  const auto check = [&](const std::string& path, const char* reason) {
    CHECK(says(error_of<tl::FileError>([&] { tl::save(model_of(1), path); }), path, reason));
    CHECK(says(error_of<tl::FileError>([&] { tl::check_writable(path); }), path, reason));
  };
  check(scratch.file("none/a.safetensors"), "No such file or directory");
  check(scratch.file("."), "directory");
  check(scratch.file(""), "directory");
  check("/proc/a.safetensors", "");
  check("", "the path is empty");
  CHECK(scratch.names().empty());
}

TEST_CASE("F10: check_writable leaves nothing behind and changes nothing") {
  const Scratch scratch;
  tl::check_writable(scratch.file("a.safetensors"));
  const std::string other = scratch.file("a.pt");  // what save would say later
  CHECK(says(error_of([&] { tl::check_writable(other); }), other, "not as .pt"));
  CHECK(scratch.names().empty());
  const std::string path = scratch.write("a.safetensors", "old");
  tl::check_writable(path);
  CHECK(read_file(path) == "old");
  CHECK(scratch.names() == only("a.safetensors"));
}

TEST_CASE("F10: saving onto a link writes where it leads, and keeps it") {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.file("real"));
  for (const char* name : {"there", "not_yet"}) {
    const std::string link = scratch.file(name), target = scratch.file(std::string("real/") + name);
    if (std::string(name) == "there") tl::save(model_of(1), target);
    std::filesystem::create_symlink(std::string("real/") + name, link);
    tl::save(model_of(2), link);
    CHECK(std::filesystem::is_symlink(link));
    CHECK(value_in(target) == 2);
  }
}

TEST_CASE("save: a new file has the usual mode, an old one keeps its own") {
  const Scratch scratch;
  const std::string path = scratch.file("a.safetensors");
  const mode_t mask = ::umask(027);
  tl::save(model_of(1), path);
  ::umask(mask);
  const auto mode = [&] {
    struct stat status {};
    ::stat(path.c_str(), &status);
    return status.st_mode & 0777;
  };
  CHECK(mode() == 0640);
  ::chmod(path.c_str(), 0604);
  tl::save(model_of(2), path);
  CHECK(mode() == 0604);
}

TEST_CASE("save: a relative path without a folder works") {
  const Scratch scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.file(""));
  tl::save(model_of(3), "a.safetensors");
  CHECK(value_in("a.safetensors") == 3);
  std::filesystem::current_path(before);
}

TEST_CASE("I04: the best state is kept, and NaN or infinity is never better") {
  const Scratch scratch;
  const std::string path = scratch.file("best.safetensors");
  tl::BestKeeper keeper(path);
  const double nan = std::nan(""), inf = INFINITY;
  CHECK_FALSE(keeper.update(nan, model_of(9)));
  CHECK_FALSE(keeper.best().has_value());
  const double losses[] = {1.0, 0.8, nan, 0.9, inf, -inf};
  std::vector<bool> saved;
  for (int i = 0; i < 6; ++i)
    saved.push_back(keeper.update(losses[i], model_of(static_cast<float>(i))));
  CHECK(saved == std::vector<bool>{true, true, false, false, false, false});
  CHECK(keeper.best() == 0.8);
  CHECK(value_in(path) == 1);
}
