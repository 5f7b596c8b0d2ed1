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

std::optional<Clang> ask(const std::string& path) {
  try {
    const Ran ran = run_program({path, "--version"}, 20);
    const size_t at = ran.output.find("clang version ");
    if (ran.status != 0 || at == std::string::npos) return std::nullopt;
    Clang clang{path, std::atoi(ran.output.c_str() + at + 14), ran.output};
    // Whose launcher can't even start says so by its status; who is too old or too new is still a candidate.
    return clang;
  } catch (const CompileError&) {
    return std::nullopt;
  }
}

/// All files of a folder, by content.
std::string folder_digest(const std::string& folder) {
  std::vector<std::string> lines;
  std::error_code problem;
  for (const auto& file : fs::recursive_directory_iterator(folder, problem))
    if (file.is_regular_file(problem)) lines.push_back(fs::relative(file.path(), folder).string() + file_digest(file.path()));
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
  for (const std::string& path : dependencies(read_file(folder + "/rule"))) text += file_digest(path) + " " + path + "\n";
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

Clang find_clang() {
  std::vector<std::string> names;
  if (const char* set = std::getenv("TORCHLIGHT_TWIN_CLANG"); set && *set) names = {set};
  else {
    for (int version = 19; version >= 14; --version) names.push_back("clang++-" + std::to_string(version));
    names.push_back("clang++");
  }
  std::string tried;
  for (const std::string& name : names) {
    if (const auto clang = ask(name)) {
      if (clang->version >= 14) return *clang;
      tried += " " + name + " is version " + std::to_string(clang->version) + ";";
    } else {
      tried += " " + name;
    }
  }
  throw CompileError("kernels are compiled by clang 14 or newer, and there is none (tried" + tried +
                     "). Install it: apt-get install clang. Or name one in TORCHLIGHT_TWIN_CLANG.");
}

Toolchain::Toolchain(Clang clang, std::string include_directory, std::string support_directory, Cache& cache)
    : clang_(std::move(clang)), include_(std::move(include_directory)), support_(std::move(support_directory)), cache_(cache) {
  const char* arch = std::getenv("TORCHLIGHT_TWIN_ARCH");
  arch_ = arch && *arch ? arch : "native";
  own_identity_ = Digest().add(clang_.path).add(clang_.identity).add(folder_digest(include_)).add(arch_).text();
}

std::vector<std::string> Toolchain::front_end(const Source& source) const {
  std::vector<std::string> command = {clang_.path, "-x", "cuda", "-std=c++17", "-nocudainc", "-nocudalib",
                                      "--cuda-gpu-arch=sm_75", "-Xclang", "-target-sdk-version=11.5", "-Xclang",
                                      "-fcuda-allow-variadic-functions", "-Wno-unknown-cuda-version",
                                      "-fno-color-diagnostics", "-isystem" + include_, "-include", "cuda_runtime.h"};
  command.insert(command.end(), source.options.begin(), source.options.end());
  return command;
}

void Toolchain::run(const std::vector<std::string>& command, const std::string& what, std::string* output) {
  const Ran ran = run_program(command, seconds);
  if (output) *output = ran.output;
  if (ran.timed_out) throw CompileError(what + ": clang took longer than " + std::to_string(seconds) + " s and was stopped");
  if (ran.status != 0)
    throw CompileError(what + " doesn't compile (" + clang_.path + " " + std::to_string(clang_.version) + ", status " +
                       std::to_string(ran.status) + "):\n" + ran.output);
}

std::string Toolchain::ptx(const Source& source, Warnings* warnings) {
  Digest key;
  key.add("ptx 1").add(own_identity_).add(fs::absolute(source.path).string()).add(source.optimise ? "O3" : "O0");
  for (const std::string& option : source.options) key.add(option);
  const auto make = [&](const std::string& folder) {
    std::vector<std::string> command = front_end(source);
    for (const char* word : {"--cuda-device-only", "-S", "-gline-tables-only", "-MD", "-MF"}) command.emplace_back(word);
    command.push_back(folder + "/rule");
    command.emplace_back(source.optimise ? "-O3" : "-O0");
    if (clang_.version < 16)
      for (const char* word : {"-Xclang", "-target-feature", "-Xclang", "+ptx75"}) command.emplace_back(word);
    for (const std::string& word : {source.path, std::string("-o"), folder + "/ptx"}) command.push_back(word);
    std::string said;
    run(command, source.path, &said);
    note_dependencies(folder);
    std::ofstream(folder + "/warnings") << said;
  };
  const std::string folder = cache_.entry(key.text(), make, dependencies_unchanged);
  if (warnings) warnings->text = read_file(folder + "/warnings");
  return read_file(folder + "/ptx");
}

std::string Toolchain::host_object(const Source& source, const std::string& registry) {
  Digest key;
  key.add("host 1").add(own_identity_).add(fs::absolute(source.path).string()).add(registry);
  for (const std::string& option : source.options) key.add(option);
  const auto make = [&](const std::string& folder) {
    // What the object carries in place of machine code for a GPU: where its PTX is found.
    std::ofstream(folder + "/registry") << registry;
    std::vector<std::string> command = front_end(source);
    for (const char* word : {"--cuda-host-only", "-c", "-fPIC", "-O2", "-g1", "-MD", "-MF"}) command.emplace_back(word);
    command.push_back(folder + "/rule");
    for (const std::string& word : {std::string("-Xclang"), std::string("-fcuda-include-gpubinary"), std::string("-Xclang"),
                                    folder + "/registry", source.path, std::string("-o"), folder + "/host.o"})
      command.push_back(word);
    run(command, source.path);
    note_dependencies(folder);
  };
  return cache_.entry(key.text(), make, dependencies_unchanged) + "/host.o";
}

/// The library of math functions, as bitcode that kernels take what they need from.
std::string Toolchain::support() {
  if (!support_code_.empty()) return support_code_;
  Digest key;
  key.add("support 1").add(own_identity_).add(folder_digest(support_));
  const auto make = [&](const std::string& folder) {
    std::string all;
    std::vector<std::string> sources;
    for (const auto& file : fs::directory_iterator(support_))
      if (file.path().extension() == ".cpp") sources.push_back(file.path());
    std::sort(sources.begin(), sources.end());
    for (const std::string& source : sources) all += "#include \"" + source + "\"\n";
    std::ofstream(folder + "/all.cpp") << all;
    run({clang_.path, "-std=c++17", "-O2", "-march=" + arch_, "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-mprefer-vector-width=512",
         "-I" + support_, "-emit-llvm", "-c", folder + "/all.cpp", "-o", folder + "/support.bc"},
        "the twin's support library");
  };
  return support_code_ = cache_.entry(key.text(), make) + "/support.bc";
}

std::string Toolchain::machine_code(const std::string& ir) {
  Digest key;
  const bool needs_support = ir.find("@__twin_") != std::string::npos;
  const std::string library = needs_support ? support() : "";
  key.add("code 1").add(own_identity_).add(ir).add(library);
  const auto make = [&](const std::string& folder) {
    std::ofstream file(folder + "/kernel.ll");
    file << ir;
    file.close();
    if (!file) throw CompileError("can't write " + folder + "/kernel.ll: is the disk full?");
    std::vector<std::string> command = {clang_.path, "-x", "ir", "-O2", "-march=" + arch_, "-fPIC", "-ffp-contract=off",
                                        "-Wno-override-module", "-shared"};
    if (clang_.version < 15) command.insert(command.end(), {"-mllvm", "-opaque-pointers"});
    if (needs_support) command.insert(command.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library});
    command.insert(command.end(), {folder + "/kernel.ll", "-o", folder + "/kernel.so"});
    if (needs_support) command.emplace_back("-lm");
    run(command, "the code that the twin made of a kernel");
    fs::remove(folder + "/kernel.ll");
  };
  return cache_.entry(key.text(), make) + "/kernel.so";
}

std::string Toolchain::link(const std::vector<std::string>& objects, bool shared, const std::vector<std::string>& options) {
  Digest key;
  key.add("link 1").add(own_identity_).add(shared ? "so" : "program");
  for (const std::string& object : objects) key.add(file_digest(object));
  for (const std::string& option : options) key.add(option);
  const auto make = [&](const std::string& folder) {
    std::vector<std::string> command = {clang_.path};
    if (shared) command.emplace_back("-shared");
    command.insert(command.end(), objects.begin(), objects.end());
    command.insert(command.end(), {"-o", folder + "/linked"});
    command.insert(command.end(), options.begin(), options.end());
    run(command, "the program");
  };
  return cache_.entry(key.text(), make) + "/linked";
}

}  // namespace twin
