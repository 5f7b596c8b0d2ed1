#include "support/environment.h"

#include <array>
#include <cstdlib>

namespace torchlight::environment {
namespace {

constexpr std::array table{
    Variable{"TORCHLIGHT_DEVICE",
             "default device: a name, or a list of which the first that opens counts; a warning says "
             "why those before it don't"},
    Variable{"TORCHLIGHT_PLUGIN_PATH", "list of directories or files with plug-ins"},
    Variable{"TORCHLIGHT_CUDA_KERNEL_DIR",
             "list of directories with plug-ins, kernel drop-ins and their sources"},
    Variable{"TORCHLIGHT_DROP_INS",
             "on (default), off: ignore kernel drop-ins, only: their device declines what those of "
             "TORCHLIGHT_CUDA_KERNEL_DIR don't do"},
    Variable{"TORCHLIGHT_FALLBACK", "what a device can't do: error, warn (default), allow"},
    Variable{"TORCHLIGHT_NUM_THREADS", "size of the thread pool"},
    Variable{"TORCHLIGHT_SIMD", "instruction set that cpu_simd is to use"},
    Variable{"TORCHLIGHT_FUSION", "on (default), off; no effect yet"},
    Variable{"TORCHLIGHT_TWIN_CACHE", "directory for what cpu_twin compiled"},
    Variable{"TORCHLIGHT_TWIN_MODE",
             "fast (default), check: cpu_twin looks at every access of its kernels"},
    Variable{"TORCHLIGHT_TWIN_CLANG", "the clang++ that compiles kernels for cpu_twin"},
    Variable{"TORCHLIGHT_TWIN_ARCH",
             "instruction set of cpu_twin, as clang's -march names it; native (default)"},
    Variable{"TORCHLIGHT_LOG", "log level: trace, debug, info, warn (default), error, off"},
    Variable{"TORCHLIGHT_TRUST_ALL", "1: accept plug-in files that others could have written"},
};

std::optional<std::string> read(std::string_view name) {
  const char* value = secure_getenv(std::string(name).c_str());
  if (!value || !*value) return std::nullopt;
  return value;
}

using Values = std::array<std::optional<std::string>, table.size()>;

// Read all at once by whoever comes first, and never destroyed: the log is used until the very end.
const Values& values() {
  static const Values& all = *[] {
    auto* fresh = new Values;
    for (std::size_t i = 0; i < table.size(); ++i) (*fresh)[i] = read(table[i].name);
    return fresh;
  }();
  return all;
}

}  // namespace

std::span<const Variable> variables() { return table; }

std::optional<std::string> get(std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].name == name) return values()[i];
  return std::nullopt;
}

std::optional<std::string> device_now() { return read("TORCHLIGHT_DEVICE"); }

}  // namespace torchlight::environment
