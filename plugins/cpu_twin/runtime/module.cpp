#include "runtime/module.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "engine/ir.h"
#include "error.h"
#include "runtime/memory.h"

namespace twin {

std::string readable(const std::string& name) {
  int status = 0;
  char* made = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && made ? made : name;
  std::free(made);
  return text;
}

namespace {

/// "softmax" of "void softmax<256>(float*)".
std::string short_name(const std::string& full) {
  std::string text = full.substr(0, full.find('('));
  text = text.substr(0, text.find('<'));
  const size_t space = text.rfind(' ');
  return space == text.npos ? text : text.substr(space + 1);
}

}  // namespace

LoadedModule::LoadedModule(const std::string& text, Toolchain& toolchain)
    : toolchain_(toolchain), text_(ptx::parse(text)), handles_(text_.functions.size()) {
  for (const Code& handle : handles_) handle_table_.push_back(&handle);
  place_variables();
  for (size_t index = 0; index < text_.functions.size(); ++index) {
    const ptx::Function& function = text_.functions[index];
    if (!function.kernel || !function.defined) continue;
    LoadedKernel& kernel = kernels_[function.name];
    kernel.index = index;
    kernel.name = function.name;
    kernel.shown = readable(function.name);
    kernel.parameter_offsets = parameter_offsets(function, &kernel.parameter_bytes);
    for (const ptx::Variable& parameter : function.parameters) {
      kernel.parameter_sizes.push_back(static_cast<uint32_t>(parameter.bytes));
      kernel.parameter_types.push_back(parameter.type);
    }
    kernel.shared_bytes = shared_layout_of(text_, index).bytes;
    kernel.max_threads = function.max_threads;
  }
}

LoadedModule::~LoadedModule() {
  for (void* address : addresses_)
    if (address) Memory::of_process().remove_variable(address);
  for (const auto& [key, variant] : variants_)
    if (variant && variant->library) dlclose(variant->library);
}

void LoadedModule::place_variables() {
  for (const ptx::Variable& variable : text_.variables) {
    if (variable.space == ptx::Space::shared) {
      addresses_.push_back(nullptr);
      continue;
    }
    const size_t align = std::max<size_t>(variable.align, 256);
    memory_.push_back(std::make_unique<char[]>(variable.bytes + align));
    const auto address = reinterpret_cast<uintptr_t>(memory_.back().get());
    addresses_.push_back(reinterpret_cast<void*>((address + align - 1) / align * align));
    Memory::of_process().add_variable(addresses_.back(), variable.bytes, readable(variable.name));
  }
  for (size_t k = 0; k < text_.variables.size(); ++k)
    if (addresses_[k]) fill(text_.variables[k], addresses_[k]);
}

void LoadedModule::fill(const ptx::Variable& variable, void* memory) {
  if (variable.initial.empty())
    std::memset(memory, 0, variable.bytes);
  else
    std::memcpy(memory, variable.initial.data(), variable.bytes);
  for (const ptx::Variable::Address& word : variable.addresses) {
    uint64_t bytes = 0;
    void* target = this->variable(word.name, &bytes);
    for (size_t f = 0; !target && f < text_.functions.size(); ++f)
      if (text_.functions[f].name == word.name && text_.functions[f].defined) target = &handles_[f];
    if (!target)
      throw CompileError("the variable " + variable.name + " holds the address of " + word.name +
                         ", which is neither a variable nor a function that is defined here");
    const uint64_t address = reinterpret_cast<uint64_t>(target) + static_cast<uint64_t>(word.offset);
    std::memcpy(static_cast<char*>(memory) + word.at, &address, sizeof address);
  }
}

void* LoadedModule::variable(const std::string& name, uint64_t* bytes) {
  for (size_t k = 0; k < text_.variables.size(); ++k) {
    if (text_.variables[k].name != name) continue;
    if (bytes) *bytes = text_.variables[k].bytes;
    return addresses_[k];
  }
  return nullptr;
}

void LoadedModule::place_variable(const std::string& name, void* memory) {
  for (size_t k = 0; k < text_.variables.size(); ++k) {
    if (text_.variables[k].name != name) continue;
    if (addresses_[k]) Memory::of_process().remove_variable(addresses_[k]);
    addresses_[k] = memory;
  }
}

const LoadedKernel* LoadedModule::kernel(const std::string& name) {
  if (const auto found = kernels_.find(name); found != kernels_.end()) return &found->second;
  const LoadedKernel* only = nullptr;
  for (const auto& [key, kernel] : kernels_) {
    if (kernel.shown != name && short_name(kernel.shown) != name) continue;
    if (only) return nullptr;
    only = &kernel;
  }
  return only;
}

std::vector<std::string> LoadedModule::kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : kernels_) names.push_back(name);
  return names;
}

Kernel LoadedModule::compiled(const LoadedKernel& kernel, const Options& options) {
  std::atomic<const Kernel*>& quick =
      kernel.ready[options.shape.rows + (options.checks ? 5 : 0) + (options.profile ? 10 : 0)];
  if (const Kernel* ready = quick.load(std::memory_order_acquire)) return *ready;
  const std::string key = cat(kernel.index, " ", options.shape.rows, options.checks ? " checked" : "",
                              options.profile ? " counted" : "");
  const std::lock_guard lock(lock_);
  std::unique_ptr<Variant>& variant = variants_[key];
  if (!variant) {
    const Compiled made = compile_kernel(text_, kernel.index, options);
    const std::string path = toolchain_.machine_code(made.ir);
    auto fresh = std::make_unique<Variant>();
    fresh->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!fresh->library)
      throw CompileError(kernel.shown + ": its compiled code doesn't load: " + dlerror());
    fresh->table.resize(text_.functions.size());
    for (const Compiled::Function& function : made.functions) {
      Code code;
      code.run = reinterpret_cast<int32_t (*)(Warp*)>(dlsym(fresh->library, function.symbol.c_str()));
      code.frame_bytes = function.frame_bytes;
      code.results_bytes = function.results_bytes;
      if (!code.run) throw CompileError(kernel.shown + ": its compiled code lacks " + function.symbol);
      fresh->codes.push_back(code);
      fresh->table[function.index] = &fresh->codes.back();
    }
    variant = std::move(fresh);
  }
  Kernel ready;
  ready.name = kernel.shown;
  ready.code = variant->table[kernel.index];
  ready.functions = variant->table.data();
  ready.handles = handles_.data();
  ready.function_count = variant->table.size();
  ready.shared_bytes =
      options.checks ? shared_layout_of(text_, kernel.index, true).bytes : kernel.shared_bytes;
  ready.max_threads = kernel.max_threads;
  ready_.push_back(ready);
  quick.store(&ready_.back(), std::memory_order_release);
  return ready;
}

std::string LoadedModule::place(uint32_t line) const {
  const uint32_t file = line >> 20, number = line & 0xFFFFF;
  if (number == 0 || file >= text_.files.size() || text_.files[file].empty()) return {};
  return cat(text_.files[file], ":", number);
}

}  // namespace twin
