#include "build.h"

#include <dlfcn.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "compiler/digest.h"
#include "error.h"
#include "fault.h"
#include "runtime/process.h"

namespace twin_command {
namespace {

namespace fs = std::filesystem;

/// Where the twin's own library lies, which programs are linked with.
std::string library_folder() {
  Dl_info here{};
  if (!dladdr(reinterpret_cast<void*>(&twin::Process::get), &here) || !here.dli_fname)
    throw std::runtime_error("the twin's library can't be found");
  return fs::canonical(here.dli_fname).parent_path();
}

}  // namespace

void want_readable(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code problem;
    if (fs::is_directory(file, problem)) throw BadInput(file + " is a directory");
    std::ifstream stream(file);
    if (!stream) throw BadInput(file + " can't be read: " + std::strerror(errno));
  }
}

std::string build(const std::vector<std::string>& files, const std::vector<std::string>& compile,
                  bool shared, const std::vector<std::string>& extra) {
  twin::Toolchain& toolchain = twin::Process::get().toolchain();
  std::vector<std::string> objects;
  for (const std::string& file : files) {
    const twin::Source source{file, compile, true};
    twin::Warnings warnings;
    const std::string ptx = toolchain.ptx(source, &warnings);
    if (!warnings.text.empty()) std::fputs(near_path(warnings.text).c_str(), stderr);
    objects.push_back(toolchain.host_object(source, ptx));
  }
  for (const std::string& file : extra)
    objects.push_back(toolchain.host_object({file, compile, true}, ""));
  const std::string folder = library_folder();
  std::vector<std::string> options{
      "-L" + folder, "-ltorchlight_twin", "-Wl,-rpath," + folder, "-lstdc++", "-lm", "-lpthread"};
  if (shared) options.insert(options.end(), {"-Wl,-Bsymbolic", "-Wl,-z,defs"});
  return toolchain.link(objects, shared, options);
}

std::string kept_source(const std::string& text) {
  twin::Cache& cache = twin::Process::get().toolchain().cache();
  const auto make = [&](const std::string& folder) {
    std::ofstream file(folder + "/source.cu");
    file << text;
    file.close();
    if (!file) throw twin::CompileError("can't write into " + folder + ": " + std::strerror(errno));
  };
  return cache.entry(twin::Digest().add("source").add(text).text(), make) + "/source.cu";
}

std::vector<std::pair<std::string, std::string>> manner_of(const Options& options, std::uint64_t seed) {
  const double milliseconds = std::ceil(options.time_limit * 1000);
  return {{"TWIN_CHECK", options.check ? "1" : ""},
          {"TWIN_SEED", seed ? std::to_string(seed) : ""},
          {"TWIN_LIMIT_MS",
           milliseconds > 0 ? std::to_string(static_cast<std::uint64_t>(milliseconds)) : ""},
          {"TWIN_PROFILE", ""}};
}

}  // namespace twin_command
