// The clang of this machine, and what the twin asks of it: CUDA source to PTX and to a host object, the engine's IR
// to a shared object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/cache.h"
#include "engine/engine.h"

namespace twin {

struct Clang {
  std::string path;
  int version = 0;       // major
  std::string identity;  // what `--version` says
};

/// The newest from clang++-19 down to clang++-14, or plain clang++, or what TORCHLIGHT_TWIN_CLANG names. Throws
/// CompileError that says what to install.
Clang find_clang(Cache& cache);

/// Where a source comes from and how it is read.
struct Source {
  std::string path;                  // a .cu file, or a header's folder counts as its place
  std::vector<std::string> options;  // -D…, -I…, -std=…
  bool optimise = true;
};

struct Warnings {
  std::string text;  // what clang said though it went on
};

class Toolchain {
 public:
  Toolchain(Clang clang, const std::string& include_directory, const std::string& support_directory,
            Cache& cache);

  /// PTX of all kernels of a source.
  std::string ptx(const Source& source, Warnings* warnings = nullptr);
  /// The host side of a source as an object file that carries the source's PTX: its launches reach the twin.
  std::string host_object(const Source& source, const std::string& ptx);
  /// What clang's dump of its syntax tree says of the declarations whose qualified names contain `filter`.
  std::string syntax(const Source& source, const std::string& filter);
  /// A shared object with the functions of an IR text. The path of the file.
  std::string machine_code(const std::string& ir);
  /// Links objects into a program or a shared object.
  std::string link(const std::vector<std::string>& objects, bool shared,
                   const std::vector<std::string>& options);

  const Clang& clang() const { return clang_; }
  Cache& cache() { return cache_; }
  /// How long one run of clang may take.
  int seconds = 120;
  /// How far clang optimises what the engine makes, 0 to 3.
  int level = 2;

 private:
  std::vector<std::string> front_end(const Source& source) const;
  std::string support();
  std::string shared_object(const std::string& ir);
  /// `file` of the entry that a command makes. "@/" in it stands for the entry's folder, which `prepare` fills first.
  /// What it reads besides is noted, so that a change makes it run again (`reads_others`), or is in `inputs`.
  std::string made(const std::string& what, std::vector<std::string> command,
                   const std::vector<std::string>& inputs, const std::string& file, bool reads_others,
                   const std::function<void(const std::string& folder)>& prepare = {});
  void run(const std::vector<std::string>& command, const std::string& what,
           std::string* output = nullptr);

  Clang clang_;
  std::string include_, support_, own_identity_, arch_;
  Cache& cache_;
  std::string support_code_;
};

}  // namespace twin
