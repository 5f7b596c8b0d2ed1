// Where the plug-in's kernels come from: the files of plugins/cuda/kernels, each compiled at first use with the
// selection that instantiates what is asked for and nothing else.
#include "kernel_source.h"

#include <cstring>
#include <exception>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "common/errors.h"
#include "runtime/process.h"

namespace cuda_backend {
namespace {

std::vector<std::string> words_of(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

twin::KernelHandle compile(const std::string& file, const char* selection, const char* name) {
  twin::Process& process = twin::Process::get();
  const std::string home = process.home();
  twin::Source source{home + "/kernels/" + file, words_of(selection), true};
  source.options.insert(source.options.end(), {"-std=c++14", "-ffp-contract=off", "-DTWIN_KERNELS_ONLY",
                                               "-I" + home + "/api"});
  twin::LoadedModule& module = process.module(process.toolchain().ptx(source));
  return {&module, module.kernel(name)};
}

}  // namespace

cudaError_t find_kernel(const char* file, const char* selection, const char* name, const void** kernel,
                        tl_error* error) noexcept {
  try {
    // The handle is the address of a name that is kept for good.
    static std::mutex lock;
    static auto* const known = new std::unordered_map<std::string, twin::KernelHandle>;
    const std::lock_guard guard(lock);
    const std::string key = std::string(file) + " " + selection + " " + name;
    auto found = known->find(key);
    if (found == known->end()) {
      const twin::KernelHandle made = compile(file, selection, name);
      if (!made.kernel) {
        plugins::fail(TL_E_INTERNAL, error, "there is no kernel %s in %s with %s", name, file,
                      selection);
        return cudaErrorInvalidDeviceFunction;
      }
      found = known->emplace(key, made).first;
      twin::Process::get().add_kernel(&found->first, made);
    }
    *kernel = &found->first;
    return cudaSuccess;
  } catch (const std::exception& problem) {
    // The ABI's errors are one line: the first, which says what failed, and what clang says first.
    std::string line = problem.what();
    for (char& c : line)
      if (c == '\n') c = ' ';
    plugins::fail(TL_E_INTERNAL, error, "%s", line.c_str());
    return cudaErrorInvalidPtx;
  }
}

}  // namespace cuda_backend
