// The cache of compiled kernels: never a bad entry, whatever happens to its makers, its files or its disk.
#include <doctest/doctest.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "compiler/toolchain.h"
#include "error.h"

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "twin-cache-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Runs it in a process of its own; what that ends with.
int in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// An entry's maker that counts itself in a file.
auto maker(const std::string& log, const std::string& text, int milliseconds = 0) {
  return [=](const std::string& folder) {
    std::ofstream(log, std::ios::app) << 'm';
    write(folder + "/first", text);
    usleep(static_cast<useconds_t>(milliseconds) * 1000);
    write(folder + "/second", text + text);
  };
}

}  // namespace

TEST_CASE("cache: of processes that race for an entry one makes it") {
  const Folder folder;
  const std::string log = folder.path + "/log";
  pid_t children[4];
  for (pid_t& child : children) {
    child = fork();
    if (child != 0) continue;
    twin::Cache cache(folder.path + "/cache");
    const std::string entry = cache.entry("key", maker(log, "abc", 200));
    _exit(content(entry + "/first") == "abc" && content(entry + "/second") == "abcabc" ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(content(log) == "m");
}

TEST_CASE("cache: a maker that is killed leaves no entry, and no lock that lasts") {
  const Folder folder;
  const std::string log = folder.path + "/log";
  const int status = in_child([&] {
    twin::Cache cache(folder.path + "/cache");
    cache.entry("key", [](const std::string& fresh) {
      write(fresh + "/first", "half of i");
      kill(getpid(), SIGKILL);
    });
  });
  CHECK(WIFSIGNALED(status));
  CHECK(!fs::exists(folder.path + "/cache/key"));
  twin::Cache cache(folder.path + "/cache");
  const std::string entry = cache.entry("key", maker(log, "whole"));
  CHECK(content(entry + "/first") == "whole");
  CHECK(content(log) == "m");
}

TEST_CASE("cache: a maker that throws leaves nothing") {
  const Folder folder;
  twin::Cache cache(folder.path);
  CHECK_THROWS_AS(cache.entry("key",
                              [](const std::string& fresh) {
                                write(fresh + "/first", "x");
                                throw twin::CompileError("no");
                              }),
                  twin::CompileError);
  CHECK(fs::is_empty(folder.path));  // no lock either
}

TEST_CASE("cache: what killed makers left goes, once nobody can be at work there") {
  const Folder folder;
  const std::string log = folder.path + "/log", left = folder.path + "/cache/other.new-";
  twin::Cache cache(folder.path + "/cache");
  fs::create_directory(left + "abcdef");
  fs::create_directory(left + "ghijkl");
  write(left + "abcdef/part", "half of i");
  fs::last_write_time(left + "abcdef", fs::file_time_type::clock::now() - std::chrono::hours(3));
  cache.entry("key", maker(log, "abc"));
  CHECK(!fs::exists(left + "abcdef"));
  CHECK(fs::exists(left + "ghijkl"));
}

TEST_CASE("cache: nothing counts that others could have put there") {
  const Folder folder;
  const std::string log = folder.path + "/log", path = folder.path + "/cache";
  {
    twin::Cache cache(path);
    CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms::owner_all);
    const std::string entry = cache.entry("key", maker(log, "abc"));
    fs::permissions(entry, fs::perms::others_write, fs::perm_options::add);
    cache.entry("key", maker(log, "abc"));
    CHECK(content(log) == "mm");
    fs::rename(entry, folder.path + "/elsewhere");
    fs::create_directory_symlink(folder.path + "/elsewhere", entry);
    cache.entry("key", maker(log, "abc"));
    CHECK(content(log) == "mmm");
    CHECK(!fs::is_symlink(entry));
  }
  fs::create_directory_symlink(path, folder.path + "/link");
  CHECK(twin::Cache(folder.path + "/link").remark().empty());
  for (const fs::perms who : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(path, fs::perms::owner_all | who);
    const twin::Cache cache(path);
    CHECK(cache.directory() != path);
    CHECK(cache.remark().find("others may write into it") != std::string::npos);
  }
  fs::permissions(path, fs::perms::owner_all);
  if (geteuid() == 0) {
    REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    CHECK(twin::Cache(path).directory() != path);
  }
}

TEST_CASE("cache: a damaged entry counts as missing") {
  const std::function<void(const std::string&)> damages[] = {
      [](const std::string& entry) { write(entry + "/first", "abd"); },
      [](const std::string& entry) { write(entry + "/second", ""); },
      [](const std::string& entry) { fs::resize_file(entry + "/second", 3); },
      [](const std::string& entry) { fs::remove(entry + "/first"); },
      [](const std::string& entry) { write(entry + "/contents", ""); },
      [](const std::string& entry) { fs::remove(entry + "/contents"); },
      [](const std::string& entry) { write(entry + "/third", "more"); },
      [](const std::string& entry) { fs::remove_all(entry); },
  };
  for (size_t which = 0; which < std::size(damages); ++which) {
    CAPTURE(which);
    const Folder folder;
    const std::string log = folder.path + "/log";
    twin::Cache cache(folder.path + "/cache");
    const std::string entry = cache.entry("key", maker(log, "abc"));
    cache.entry("key", maker(log, "abc"));
    CHECK(content(log) == "m");  // it was whole
    damages[which](entry);
    CHECK(content(cache.entry("key", maker(log, "abc")) + "/second") == "abcabc");
    CHECK(content(log) == "mm");
  }
}

TEST_CASE("cache: what was not used for longest goes when it is full") {
  const Folder folder;
  const std::string log = folder.path + "/log", text(1000, 'x');
  twin::Cache cache(folder.path + "/cache", 16000);
  // Times that lie seconds apart, as file systems tell less apart now and then.
  auto now = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const auto use = [&](int k) {
    fs::last_write_time(cache.entry("key" + std::to_string(k), maker(log, text)), now);
    now += std::chrono::seconds(2);
  };
  for (int k = 0; k < 12; ++k) use(k), use(0);
  uint64_t bytes = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder.path + "/cache"))
    if (file.is_regular_file()) bytes += file.file_size();
  CHECK(bytes <= 16000);
  CHECK(bytes >= 9000);
  CHECK(fs::exists(folder.path + "/cache/key0"));
  CHECK(fs::exists(folder.path + "/cache/key11"));
  CHECK(!fs::exists(folder.path + "/cache/key2"));
}

TEST_CASE("cache: where it can't be written, this process has one of its own, and says so") {
  std::string directory;
  {
    twin::Cache cache("/proc/torchlight");
    directory = cache.directory();
    CHECK(directory != "/proc/torchlight");
    CHECK(cache.remark().find("/proc/torchlight can't be written") != std::string::npos);
    CHECK(content(cache.entry("key", [](const std::string& fresh) { write(fresh + "/x", "y"); }) +
                  "/x") == "y");
  }
  CHECK(!fs::exists(directory));
  const Folder folder;
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(in_child([&] {
          if (geteuid() == 0) {  // whom no mode keeps out
            fs::permissions(folder.path, fs::perms::others_read | fs::perms::others_exec,
                            fs::perm_options::add);
            if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
          }
          const twin::Cache cache(folder.path);
          _exit(cache.remark().find("can't be written") != std::string::npos ? 0 : 1);
        }) == 0);
  fs::permissions(folder.path, fs::perms::owner_all);
}

TEST_CASE("cache: a full disk is an error, and leaves no entry") {
  const Folder folder;
  write(folder.path + "/k.cu", "__global__ void k(float* x) { x[threadIdx.x] *= 2; }\n");
  const auto compile = [&] {
    twin::Cache cache(folder.path + "/cache");
    twin::Toolchain chain(twin::find_clang(cache), TWIN_HOME "/include", TWIN_HOME "/support", cache);
    const std::string ptx = chain.ptx({folder.path + "/k.cu", {}, true});
    return ptx.find(".entry") != std::string::npos && ptx.back() == '\n';
  };
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{100}, rlim_t{700}}) {
    CAPTURE(bytes);
    const int status = in_child([&] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      try {
        compile();
      } catch (const twin::CompileError& problem) {
        _exit(*problem.what() ? 7 : 8);
      }
    });
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    CHECK(compile());
    fs::remove_all(folder.path + "/cache");
  }
}

TEST_CASE("toolchain: without a clang it says what to install") {
  const Folder folder;
  twin::Cache cache(folder.path);
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path.c_str(), 1);
  std::string said;
  try {
    twin::find_clang(cache);
  } catch (const twin::CompileError& problem) {
    said = problem.what();
  }
  setenv("PATH", path.c_str(), 1);
  CHECK(said.find("apt-get install clang") != std::string::npos);
  CHECK(said.find("clang++-14") != std::string::npos);
}

TEST_CASE("toolchain: sources that don't compile say clang's message and the user's line") {
  const Folder folder;
  twin::Cache cache(folder.path + "/cache");
  twin::Toolchain chain(twin::find_clang(cache), TWIN_HOME "/include", TWIN_HOME "/support", cache);
  write(folder.path + "/bad.cu", "__global__ void k(float* x) {\n  x[0] = nothing;\n}\n");
  std::string said;
  try {
    chain.ptx({folder.path + "/bad.cu", {}, true});
  } catch (const twin::CompileError& problem) {
    said = problem.what();
  }
  CHECK(said.find("bad.cu:2:10: error: use of undeclared identifier 'nothing'") != std::string::npos);
}

TEST_CASE("toolchain: an edited source or header is compiled anew, and nothing else is") {
  const Folder folder;
  const std::string source = folder.path + "/k.cu", header = folder.path + "/factor.h";
  write(header, "#define FACTOR 3\n");
  write(source, "#include \"factor.h\"\n__global__ void k(int* x) { x[threadIdx.x] *= FACTOR; }\n");
  twin::Cache cache(folder.path + "/cache");
  twin::Toolchain chain(twin::find_clang(cache), TWIN_HOME "/include", TWIN_HOME "/support", cache);
  const std::string first = chain.ptx({source, {}, true});
  uint64_t made = cache.made();
  CHECK(chain.ptx({source, {}, true}) == first);
  CHECK(cache.made() == made);
  write(header, "#define FACTOR 77\n");
  const std::string second = chain.ptx({source, {}, true});
  CHECK(second.find(", 77;") != std::string::npos);
  CHECK(cache.made() == ++made);
  write(source, "#include \"factor.h\"\n__global__ void k(int* x) { x[threadIdx.x] *= FACTOR + 1; }\n");
  CHECK(chain.ptx({source, {}, true}).find(", 78;") != std::string::npos);
  CHECK(cache.made() == ++made);
  CHECK(chain.ptx({source, {"-DOTHER"}, true}).find(", 78;") != std::string::npos);
  CHECK(cache.made() == ++made);
  // The same again, by a process that comes later.
  twin::Cache later(folder.path + "/cache");
  twin::Toolchain other(twin::find_clang(later), TWIN_HOME "/include", TWIN_HOME "/support", later);
  CHECK(other.ptx({source, {}, true}).find(", 78;") != std::string::npos);
  CHECK(later.made() == 0);
}
