// Discovery under a fuzzer: whatever lies in a directory of plug-ins is one entry of the report with a reason that
// fits on a line, the good file beside it is found all the same, and no dynamic loader sees either of them.
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../loader/crafted_elf.h"
#include "loader/discovery.h"
#include "support/log.h"

namespace fs = std::filesystem;
using namespace torchlight;
using namespace torchlight::loader;
using State = Candidate::State;

extern "C" void* dlopen(const char*, int) { std::abort(); }

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_line(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

/// A directory with a good plug-in, in memory where there is such a place; gone at the end of the process.
class Directory {
 public:
  Directory() {
    const fs::path memory = "/dev/shm";
    const fs::path where = fs::exists(memory) ? memory : fs::temp_directory_path();
    path_ = (fs::canonical(where) / "torchlight-fuzz-XXXXXX").string();
    require(::mkdtemp(path_.data()) != nullptr);
    write("b.so", test::crafted_elf(test::make_note("good")));
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

void check_entry(const Found& found, std::size_t size) {
  const Candidate& c = found.candidate;
  require(is_line(c.reason) && is_line(c.name) && is_line(c.version));
  if (!found.usable()) return require(!c.reason.empty());
  require(is_name(c.name) && c.name == found.identity.name && c.reason.empty());
  require(found.identity.abi_major == TL_ABI_MAJOR && found.identity.kind == TL_KIND_BACKEND);
  std::size_t names = 0;
  for (const std::string& name : found.dependencies.needed) names = std::max(names, name.size());
  for (const std::string& name : found.dependencies.runpath) names = std::max(names, name.size());
  require(names < size);
}

}  // namespace

/// The log of the core, here: its lines are lines.
void log::write(Level, const std::string& line) { require(is_line(line)); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Directory directory;
  const Rules rules{{}, true, ~std::uint64_t{0}};
  directory.write("a.so", {reinterpret_cast<const char*>(bytes), size});

  const std::vector<Found> files = discover({{directory.path(), Origin::plugin_path}}, rules).files;
  require(files.size() == 2);
  for (const Found& found : files) check_entry(found, std::max<std::size_t>(size, 4096));
  const Found &given = files[0], &good = files[1];
  const bool same_name = given.usable() && given.identity.name == "good";
  require(good.candidate.state == (same_name ? State::duplicate : State::found));

  // Whoever names this very file gets a complaint.
  const Found named = inspect(directory.path() + "/a.so", Origin::api, true, rules);
  check_entry(named, std::max<std::size_t>(size, 4096));
  require(named.candidate.state == State::found || named.candidate.state == State::rejected);
  return 0;
}
