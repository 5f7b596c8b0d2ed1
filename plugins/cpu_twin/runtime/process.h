// The twin of this process: its toolchain, its modules, how launches are done, and the errors that stay.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/checker.h"
#include "check/profile.h"
#include "runtime/launch.h"

namespace twin {

/// What stands behind the handle that a launch names a kernel by.
struct KernelHandle {
  LoadedModule* module = nullptr;
  const LoadedKernel* kernel = nullptr;
  uint32_t dynamic_shared_limit = max_shared_bytes;
};

/// A variable of each thread, without memory that may lack when it is first used.
#define TWIN_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local

class Process {
 public:
  static Process& get();

  /// Where the headers and the support library are; set once, before the first kernel is compiled. Without it they
  /// are looked for beside this library.
  void set_home(const std::string& directory) { home_ = directory; }
  /// The folder with include, support and, for the plug-in, kernels and api. Throws CompileError.
  std::string home();
  /// Throws CompileError.
  Toolchain& toolchain();
  Manner& manner() { return manner_; }
  /// Looks at every access from now on.
  Checker& check();
  /// Held during a launch that is checked or counted: host threads that launch at once do so in turn.
  std::unique_lock<std::mutex> alone();

  /// The module of a PTX text, which lives as long as the process. Throws CompileError.
  LoadedModule& module(const std::string& ptx);

  void add_kernel(const void* handle, KernelHandle kernel);
  /// Null where no kernel has this handle. Throws CompileError where its module doesn't load.
  KernelHandle* kernel(const void* handle);
  using Text = std::shared_ptr<const std::string>;
  /// For a stub of a program, whose module is loaded when it is first launched.
  void add_stub(const void* handle, Text ptx, const std::string& name);
  void add_symbol(const void* handle, Text ptx, const std::string& name);
  void* symbol(const void* handle, uint64_t* bytes);
  /// A __managed__ variable: the module that has it uses the program's memory for it.
  void add_managed(Text ptx, const std::string& name, void* memory, uint64_t bytes);

  // ---- errors: the last one is cleared when it is asked for, unless it is one that stays
  cudaError_t set(cudaError_t error);
  cudaError_t last(bool clear);
  /// What a failed launch said, all lines.
  std::string report();
  cudaError_t fail_for_good(cudaError_t error, const std::string& report);
  cudaError_t lasting() const { return lasting_; }
  void reset();
  /// Called for each report, as it comes. Without one it goes to stderr.
  std::function<void(const std::string&)> on_report;
  /// Likewise for what should be known, and is no fault.
  std::function<void(const std::string&)> on_remark;
  void on_report_or_print(const std::string& text);

 private:
  Process();
  void read_environment();
  void open_cache();

  struct Stub {
    Text ptx;
    std::string name;
  };

  std::string home_;
  std::mutex lock_, modules_lock_, alone_lock_;
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Profile> profile_;
  Manner manner_;
  std::map<std::string, std::unique_ptr<LoadedModule>> modules_;  // by the digest of their text
  std::unordered_map<const void*, KernelHandle> kernels_;
  std::unordered_map<const void*, Stub> stubs_, symbols_;
  struct Managed {
    Text ptx;
    std::string name;
    void* memory;
    uint64_t bytes;
  };
  std::vector<Managed> managed_;
  std::atomic<cudaError_t> lasting_ = cudaSuccess;
  std::string report_;
};

}  // namespace twin
