#include "compiler/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "compiler/digest.h"
#include "compiler/process.h"
#include "error.h"

namespace twin {
namespace {

namespace fs = std::filesystem;

/// The file that a command is, by PATH; empty where there is none.
std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* path = secure_getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

/// What a program says of itself. Asked once for each state of its file, for starting it takes longer than all else.
std::string version_of(const std::string& program, Cache& cache) {
  std::error_code problem;
  const fs::path file = fs::canonical(program, problem);
  Digest key;
  key.add("version").add(file.string()).add(std::to_string(fs::file_size(file, problem)));
  key.add(std::to_string(fs::last_write_time(file, problem).time_since_epoch().count()));
  const auto make = [&](const std::string& folder) {
    const Ran ran = run_program({program, "--version"}, 20);
    std::ofstream(folder + "/version") << (ran.status == 0 ? ran.output : std::string());
  };
  return read_file(cache.entry(key.text(), make) + "/version");
}

std::optional<Clang> ask(const std::string& name, Cache& cache) {
  const std::string path = find_program(name);
  if (path.empty()) return std::nullopt;
  const std::string said = version_of(path, cache);
  const size_t at = said.find("clang version ");
  if (at == std::string::npos) return std::nullopt;
  return Clang{path, std::atoi(said.c_str() + at + 14), said};
}

/// All files of a folder, by content.
std::string folder_digest(const std::string& folder) {
  std::vector<std::string> lines;
  std::error_code problem;
  for (const auto& file : fs::recursive_directory_iterator(folder, problem))
    if (file.is_regular_file(problem))
      lines.push_back(fs::relative(file.path(), folder).string() + file_digest(file.path()));
  std::sort(lines.begin(), lines.end());
  Digest digest;
  for (const std::string& line : lines) digest.add(line);
  return digest.text();
}

/// The files that a makefile rule names, but for the target.
std::vector<std::string> dependencies(const std::string& rule) {
  std::vector<std::string> list;
  std::string word;
  bool behind_colon = false;
  for (size_t k = 0; k < rule.size(); ++k) {
    if (rule[k] == '\\' && k + 1 < rule.size()) {
      if (rule[k + 1] != '\n') word += rule[k + 1];
      ++k;
    } else if (std::isspace(static_cast<unsigned char>(rule[k]))) {
      if (!word.empty() && behind_colon) list.push_back(word);
      if (!word.empty() && word.back() == ':') behind_colon = true;
      word.clear();
    } else {
      word += rule[k];
    }
  }
  if (!word.empty() && behind_colon) list.push_back(word);
  return list;
}

/// Notes which files a compilation read, so that a later change of one of them is seen.
void note_dependencies(const std::string& folder) {
  std::string text;
  for (const std::string& path : dependencies(read_file(folder + "/rule")))
    text += file_digest(path) + " " + path + "\n";
  fs::remove(folder + "/rule");
  std::ofstream(folder + "/read") << text;
}

bool dependencies_unchanged(const std::string& folder) {
  std::istringstream lines(read_file(folder + "/read"));
  for (std::string line; std::getline(lines, line);)
    if (line.size() < 34 || file_digest(line.substr(33)) != line.substr(0, 32)) return false;
  return true;
}

}  // namespace

Clang find_clang(Cache& cache) {
  std::vector<std::string> names;
  if (const char* set = secure_getenv("TORCHLIGHT_TWIN_CLANG"); set && *set)
    names = {set};
  else {
    for (int version = 19; version >= 14; --version)
      names.push_back("clang++-" + std::to_string(version));
    names.push_back("clang++");
  }
  std::string tried;
  for (const std::string& name : names) {
    if (const auto clang = ask(name, cache)) {
      if (clang->version >= 14) return *clang;
      tried += " " + name + " is version " + std::to_string(clang->version) + ";";
    } else {
      tried += " " + name;
    }
  }
  throw CompileError("kernels are compiled by clang 14 or newer, and there is none (tried" + tried +
                     "). Install it: apt-get install clang. Or name one in TORCHLIGHT_TWIN_CLANG.");
}

Toolchain::Toolchain(Clang clang, const std::string& include_directory,
                     const std::string& support_directory, Cache& cache)
    : clang_(std::move(clang)),
      include_(fs::absolute(include_directory)),
      support_(fs::absolute(support_directory)),
      cache_(cache) {
  const char* arch = secure_getenv("TORCHLIGHT_TWIN_ARCH");
  arch_ = arch && *arch ? arch : "native";
  own_identity_ =
      Digest().add(clang_.path).add(clang_.identity).add(folder_digest(include_)).add(arch_).text();
}

std::vector<std::string> Toolchain::front_end(const Source& source) const {
  std::vector<std::string> command = {clang_.path,
                                      "-x",
                                      "cuda",
                                      "-std=c++17",
                                      "--cuda-path=/nonexistent",
                                      "-nocudainc",
                                      "-nocudalib",
                                      "--cuda-gpu-arch=sm_75",
                                      "-Xclang",
                                      "-target-sdk-version=11.5",
                                      "-fno-color-diagnostics",
                                      "-isystem" + include_,
                                      "-include",
                                      "cuda_runtime.h"};
  command.insert(command.end(), source.options.begin(), source.options.end());
  return command;
}

void Toolchain::run(const std::vector<std::string>& command, const std::string& what,
                    std::string* output) {
  const Ran ran = run_program(command, seconds);
  if (output) *output = ran.output;
  if (ran.timed_out)
    throw CompileError(what + ": clang took longer than " + std::to_string(seconds) +
                       " s and was stopped");
  if (ran.status == 0) return;
  if (ran.output.find("No space left on device") != std::string::npos)
    throw CompileError(what + ": no space is left on the disk of " + cache_.directory() +
                       " or of temporary files; TORCHLIGHT_TWIN_CACHE and TMPDIR name others");
  // Where clang crashes, what it says first is for people.
  const std::string said = ran.output.substr(0, ran.output.find("PLEASE submit a bug report"));
  throw CompileError(what + " doesn't compile (" + clang_.path + " " + std::to_string(clang_.version) +
                     ", status " + std::to_string(ran.status) + "):\n" +
                     (said.empty() ? "clang crashed\n" : said));
}

std::string Toolchain::made(const std::string& what, std::vector<std::string> command,
                            const std::vector<std::string>& inputs, const std::string& file,
                            bool reads_others,
                            const std::function<void(const std::string& folder)>& prepare) {
  Digest key;
  key.add("1").add(own_identity_);
  for (const std::string& word : command) key.add(word);
  for (const std::string& input : inputs) key.add(input);
  if (reads_others) command.insert(command.end(), {"-MD", "-MF", "@/rule"});
  const auto make = [&](const std::string& folder) {
    if (prepare) prepare(folder);
    std::vector<std::string> words = command;
    for (std::string& word : words)
      if (word.starts_with("@/")) word.replace(0, 1, folder);
    std::string said;
    run(words, what, &said);
    if (!reads_others) return;
    note_dependencies(folder);
    std::ofstream(folder + "/warnings") << said;
  };
  return cache_.entry(
             key.text(), make,
             reads_others ? dependencies_unchanged : std::function<bool(const std::string&)>()) +
         "/" + file;
}

std::string Toolchain::ptx(const Source& source, Warnings* warnings) {
  std::vector<std::string> command = front_end(source);
  command.insert(command.end(),
                 {"--cuda-device-only", "-S", "-gline-tables-only", source.optimise ? "-O3" : "-O0"});
  if (clang_.version < 16)
    command.insert(command.end(), {"-Xclang", "-target-feature", "-Xclang", "+ptx75"});
  command.insert(command.end(), {fs::absolute(source.path), "-o", "@/ptx"});
  const std::string path = made(source.path, command, {}, "ptx", true);
  if (warnings) warnings->text = read_file(fs::path(path).parent_path() / "warnings");
  return read_file(path);
}

std::string Toolchain::host_object(const Source& source, const std::string& ptx) {
  std::vector<std::string> command = front_end(source);
  command.insert(command.end(), {"--cuda-host-only", "-c", "-fPIC", "-O2", "-g1", "-Xclang",
                                 "-fcuda-include-gpubinary", "-Xclang", "@/ptx",
                                 fs::absolute(source.path), "-o", "@/host.o"});
  // What the object carries in place of machine code for a GPU, closed by a zero.
  return made(source.path, command, {ptx}, "host.o", true,
              [&](const std::string& folder) { std::ofstream(folder + "/ptx") << ptx << '\0'; });
}

std::string Toolchain::syntax(const Source& source, const std::string& filter) {
  std::vector<std::string> command = front_end(source);
  command.insert(command.end(), {"--cuda-host-only", "-fsyntax-only", "-w", "-Xclang", "-ast-dump",
                                 "-Xclang", "-ast-dump-filter=" + filter, fs::absolute(source.path)});
  std::string said;
  run(command, source.path, &said);
  return said;
}

/// The library of math functions, as an object that kernels take what they need from.
std::string Toolchain::support() {
  if (!support_code_.empty()) return support_code_;
  std::vector<std::string> sources;
  for (const auto& file : fs::directory_iterator(support_))
    if (file.path().extension() == ".cpp") sources.push_back(file.path());
  std::sort(sources.begin(), sources.end());
  std::string all;
  for (const std::string& source : sources) all += "#include \"" + source + "\"\n";
  const std::vector<std::string> command = {clang_.path,
                                            "-std=c++20",
                                            "-O2",
                                            "-march=" + arch_,
                                            "-ffp-contract=off",
                                            "-fno-math-errno",
                                            "-fPIC",
                                            "-mprefer-vector-width=512",
                                            "-ffunction-sections",
                                            "-fdata-sections",
                                            "-fvisibility=hidden",
                                            "-I" + support_,
                                            "-c",
                                            "@/all.cpp",
                                            "-o",
                                            "@/support.o"};
  return support_code_ =
             made("the twin's support library", command, {folder_digest(support_)}, "support.o", false,
                  [&](const std::string& folder) { std::ofstream(folder + "/all.cpp") << all; });
}

std::string Toolchain::machine_code(const std::string& ir) {
  if (clang_.version >= 15) return shared_object(ir);
  try {
    return shared_object(ir);
  } catch (const CompileError&) {
    // clang 14 crashes over some loops whose pointers have no type, in an analysis that leaves loops with volatile
    // stores alone.
    std::string plain = ir;
    const std::string_view store = "  store i64 ", place = ", ptr %patience";
    for (size_t at = 0; (at = plain.find(place, at + 1)) != std::string::npos;) {
      const size_t begin = plain.rfind('\n', at) + 1;
      if (plain.compare(begin, store.size(), store) == 0) plain.insert(begin + 8, "volatile "), at += 9;
    }
    return shared_object(plain);
  }
}

std::string Toolchain::shared_object(const std::string& ir) {
  const bool needs_support = ir.find("@__twin_") != std::string::npos;
  std::vector<std::string> command = {clang_.path,
                                      "-x",
                                      "ir",
                                      "-O" + std::to_string(level),
                                      "-march=" + arch_,
                                      "-fPIC",
                                      "-ffp-contract=off",
                                      "-Wno-override-module",
                                      "-shared"};
  if (clang_.version < 15) command.insert(command.end(), {"-mllvm", "-opaque-pointers"});
  command.insert(command.end(), {"@/kernel.ll", "-o", "@/kernel.so"});
  if (needs_support)
    command.insert(command.end(), {"-x", "none", support(), "-Wl,--gc-sections", "-lm"});
  return made("the code that the twin made of a kernel", command, {ir}, "kernel.so", false,
              [&](const std::string& folder) {
                std::ofstream file(folder + "/kernel.ll");
                file << ir;
                file.close();
                if (!file)
                  throw CompileError("can't write " + folder + "/kernel.ll: is the disk full?");
              });
}

std::string Toolchain::link(const std::vector<std::string>& objects, bool shared,
                            const std::vector<std::string>& options) {
  std::vector<std::string> command = {clang_.path}, contents;
  if (shared) command.emplace_back("-shared");
  command.insert(command.end(), objects.begin(), objects.end());
  command.insert(command.end(), {"-o", "@/linked"});
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string& object : objects) contents.push_back(file_digest(object));
  return made("the program", command, contents, "linked", false);
}

}  // namespace twin
