// A PTX text that is loaded: its variables have memory, its kernels are compiled when they are first launched.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/toolchain.h"
#include "ptx/module.h"
#include "runtime/block.h"

namespace twin {

/// A kernel of a module, and its machine code for a kind of launch.
struct LoadedKernel {
  size_t index = 0;  // into Module::functions
  std::vector<uint32_t> parameter_offsets, parameter_sizes;
  std::vector<ptx::Type> parameter_types;
  uint32_t parameter_bytes = 0;
  int64_t shared_bytes = 0;
  uint32_t max_threads = 0;
  std::string name;   // as in PTX
  std::string shown;  // as in the source
  mutable std::array<std::atomic<const Kernel*>, 20>
      ready{};  // by the shape and checks that it was compiled for
};

class LoadedModule {
 public:
  /// Reads a PTX text and gives its variables memory. Throws CompileError.
  LoadedModule(const std::string& ptx, Toolchain& toolchain);
  ~LoadedModule();

  const ptx::Module& text() const { return text_; }
  /// By its name in PTX or, where only one has it, in the source; null where there is none.
  const LoadedKernel* kernel(const std::string& name);
  std::vector<std::string> kernels() const;
  /// Compiles a kernel if it isn't yet. Throws CompileError.
  Kernel compiled(const LoadedKernel& kernel, const Options& options);

  void* const* variables() const { return addresses_.data(); }
  /// What pointers to functions hold, by function: the same for all kernels of the module.
  const Code* const* handles() const { return handle_table_.data(); }
  /// The memory of a variable; null where there is none of that name.
  void* variable(const std::string& name, uint64_t* bytes);
  /// Uses memory of somebody else for a variable, from before its first launch on.
  void place_variable(const std::string& name, void* memory);
  /// "softmax.cu:12" of a packed line; empty where nothing is known.
  std::string place(uint32_t line) const;

 private:
  struct Variant {
    std::deque<Code> codes;
    std::vector<const Code*> table;
    void* library = nullptr;
  };

  void place_variables();
  void fill(const ptx::Variable& variable, void* memory);

  Toolchain& toolchain_;
  ptx::Module text_;
  std::vector<std::unique_ptr<char[]>> memory_;
  std::vector<void*> addresses_;
  std::vector<Code> handles_;
  std::vector<const Code*> handle_table_;
  std::map<std::string, LoadedKernel> kernels_;
  std::mutex lock_;
  std::deque<Kernel> ready_;
  std::map<std::string, std::unique_ptr<Variant>> variants_;
};

/// "void softmax<256>(float*)" of "_Z7softmax…"; the name itself where it isn't mangled.
std::string readable(const std::string& name);

}  // namespace twin
