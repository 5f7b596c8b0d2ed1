#include "runtime/process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/digest.h"
#include "error.h"
#include "runtime/memory.h"

namespace twin {
namespace {

TWIN_THREAD_LOCAL cudaError_t last_error = cudaSuccess;

/// The folder with include/ and support/: TWIN_HOME, or share/torchlight/twin beside this library.
std::string find_home() {
  namespace fs = std::filesystem;
  if (const char* set = secure_getenv("TWIN_HOME"); set && *set) return set;
  Dl_info here{};
  std::error_code problem;
  if (dladdr(reinterpret_cast<void*>(&find_home), &here) && here.dli_fname) {
    fs::path folder = fs::weakly_canonical(here.dli_fname, problem).parent_path();
    for (int up = 0; up < 5; ++up, folder = folder.parent_path())
      if (fs::is_directory(folder / "share/torchlight/twin/include", problem))
        return folder / "share/torchlight/twin";
  }
#ifdef TWIN_SOURCE_HOME
  if (fs::is_directory(TWIN_SOURCE_HOME "/include", problem)) return TWIN_SOURCE_HOME;
#endif
  throw CompileError(
      "the twin's headers (share/torchlight/twin) are not beside its library; set TWIN_HOME to "
      "the folder that holds include and support");
}

}  // namespace

/// How a program that the twin compiled is to be run, as `torchlight twin run` tells it.
void Process::read_environment() {
  const auto number = [](const char* name) {
    const char* set = secure_getenv(name);
    return set ? std::strtoull(set, nullptr, 10) : 0;
  };
  manner_.schedule.seed = number("TWIN_SEED");
  if (number("TWIN_HIDE_MEMORY")) Memory::of_process().hide();
  manner_.limit = std::chrono::milliseconds(number("TWIN_LIMIT_MS"));
  if (const char* path = secure_getenv("TWIN_REPORTS"); path && *path)
    on_report = [file = std::string(path)](const std::string& text) {
      std::ofstream(file, std::ios::app) << text << '\n';
    };
  if (const char* path = secure_getenv("TWIN_PROFILE"); path && *path) {
    profile_ = std::make_unique<Profile>();
    manner_.profiler = profile_.get();
    std::atexit(
        [] { std::ofstream(secure_getenv("TWIN_PROFILE"), std::ios::app) << get().profile_->json(); });
  }
  if (const char* mode = secure_getenv("TORCHLIGHT_TWIN_MODE"); mode && std::string(mode) == "check")
    check();
  if (number("TWIN_CHECK")) {
    check();
    std::atexit([] {
      if (get().lasting() != cudaSuccess) return;  // who stops half-way cleans up nothing
      for (const Allocation& left : Memory::of_process().living())
        get().on_report_or_print("leak: allocation " + std::to_string(left.number) + " of " +
                                 std::to_string(left.bytes) + " bytes was never freed");
    });
  }
}

std::string Process::report() {
  const std::lock_guard guard(lock_);
  return report_;
}

std::unique_lock<std::mutex> Process::alone() {
  return manner_.checker || manner_.profiler ? std::unique_lock(alone_lock_)
                                             : std::unique_lock<std::mutex>();
}

void Process::on_report_or_print(const std::string& text) {
  if (on_report)
    on_report(text);
  else
    std::fprintf(stderr, "%s\n", text.c_str());
}

Process::Process() { read_environment(); }

Process& Process::get() {
  static Process* process = new Process;  // programs launch from destructors, too
  return *process;
}

std::string Process::home() {
  const std::lock_guard guard(lock_);
  if (home_.empty()) home_ = find_home();
  return home_;
}

/// What this process alone has goes with it, though nothing destroys a Process; not with a fork of it.
void Process::open_cache() {
  cache_ = std::make_unique<Cache>(Cache::default_directory());
  if (!cache_->is_temporary()) return;
  static pid_t owner;
  owner = getpid();
  std::atexit([] {
    std::error_code none;
    if (getpid() == owner) std::filesystem::remove_all(get().cache_->directory(), none);
  });
}

Toolchain& Process::toolchain() {
  home();
  const std::lock_guard guard(lock_);
  if (!toolchain_) {
    if (!cache_) open_cache();
    if (!cache_->remark().empty()) {
      if (on_remark)
        on_remark(cache_->remark());
      else
        std::fprintf(stderr, "twin: %s\n", cache_->remark().c_str());
    }
    toolchain_ = std::make_unique<Toolchain>(find_clang(*cache_), home_ + "/include",
                                             home_ + "/support", *cache_);
  }
  return *toolchain_;
}

Checker& Process::check() {
  if (!checker_) checker_ = std::make_unique<Checker>();
  manner_.checker = checker_.get();
  manner_.schedule.strict = true;
  return *checker_;
}

LoadedModule& Process::module(const std::string& ptx) {
  Toolchain& toolchain = this->toolchain();
  const std::lock_guard guard(modules_lock_);
  std::unique_ptr<LoadedModule>& module = modules_[Digest().add(ptx).text()];
  if (!module) {
    module = std::make_unique<LoadedModule>(ptx, toolchain);
    for (const Managed& variable : managed_)
      if (*variable.ptx == ptx) module->place_variable(variable.name, variable.memory);
  }
  return *module;
}

void Process::add_kernel(const void* handle, KernelHandle kernel) {
  const std::lock_guard guard(lock_);
  kernels_[handle] = kernel;
}

void Process::add_stub(const void* handle, Text ptx, const std::string& name) {
  const std::lock_guard guard(lock_);
  stubs_[handle] = {std::move(ptx), name};
}

void Process::add_symbol(const void* handle, Text ptx, const std::string& name) {
  const std::lock_guard guard(lock_);
  symbols_[handle] = {std::move(ptx), name};
}

void Process::add_managed(Text ptx, const std::string& name, void* memory, uint64_t bytes) {
  Memory::of_process().add_variable(memory, bytes, name);
  const std::lock_guard guard(lock_);
  symbols_[memory] = {ptx, name};
  managed_.push_back({std::move(ptx), name, memory, bytes});
}

KernelHandle* Process::kernel(const void* handle) {
  Stub stub;
  {
    const std::lock_guard guard(lock_);
    if (const auto found = kernels_.find(handle); found != kernels_.end()) return &found->second;
    const auto found = stubs_.find(handle);
    if (found == stubs_.end()) return nullptr;
    stub = found->second;
  }
  LoadedModule& loaded = module(*stub.ptx);
  const LoadedKernel* kernel = loaded.kernel(stub.name);
  if (!kernel) return nullptr;
  const std::lock_guard guard(lock_);
  return &(kernels_[handle] = {&loaded, kernel});
}

void* Process::symbol(const void* handle, uint64_t* bytes) {
  Stub stub;
  {
    const std::lock_guard guard(lock_);
    const auto found = symbols_.find(handle);
    if (found == symbols_.end()) return nullptr;
    stub = found->second;
  }
  return module(*stub.ptx).variable(stub.name, bytes);
}

cudaError_t Process::set(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t Process::last(bool clear) {
  if (const cudaError_t lasting = lasting_) return lasting;
  const cudaError_t error = last_error;
  if (clear) last_error = cudaSuccess;
  return error;
}

cudaError_t Process::fail_for_good(cudaError_t error, const std::string& report) {
  {
    const std::lock_guard guard(lock_);
    if (lasting_ == cudaSuccess) report_ = report, lasting_ = error;
  }
  on_report_or_print(report);
  return set(error);
}

void Process::reset() {
  const std::lock_guard guard(lock_);
  lasting_ = cudaSuccess;
  last_error = cudaSuccess;
  report_.clear();
}

}  // namespace twin
