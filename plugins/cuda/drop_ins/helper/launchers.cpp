#include "launchers.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace torchlight::drop_ins {
namespace {

constexpr const char* names[op_count][2] = {
    {"launch_attn_softmax", "attn_softmax_fw"},
    {"launch_attn_softmax_bw", "attn_softmax_bw"},
    {"launch_layernorm", "layernorm_fw"},
    {"launch_layernorm_bw", "layernorm_bw"},
    {"tensorMap", nullptr},
    {"tensorZip", nullptr},
    {"tensorReduce", nullptr},
    {"MatrixMultiply", nullptr},
};

std::string all_names(Family family) {
  std::string list;
  for (int op = 0; op < op_count; ++op)
    for (const char* name : names[op])
      if (name && family_of(Op(op)) == family) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

/// Whether the file was made by nvcc or wants its runtime. The section of device code, or the driver's
/// name in the runtime that is linked statically, stand in it as text, stripped or not.
bool needs_driver(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  // What is compiled for the CPU twin carries the same section and needs nothing.
  if (bytes.find("twin___cudaRegisterFatBinary") != bytes.npos) return false;
  return bytes.find(".nv_fatbin") != bytes.npos || bytes.find("libcuda.so") != bytes.npos;
}

/// What a library's constructor throws ends the process here: it would leave the dynamic loader half done, and whether it
/// came through would depend on the compiler.
void* load(const std::string& path) noexcept { return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }

}  // namespace

const char* launcher_name(Op op, Spelling spelling) { return names[int(op)][int(spelling)]; }

Launchers::Launchers(const std::string& path, Family family) {
  void* library = load(path);
  if (!library) {
    const char* words = ::dlerror();
    throw Fault(std::string("can't be loaded: ") + (words ? words : "the dynamic loader says nothing"));
  }
  if (::dlsym(library, "torchlight_plugin_v1"))
    throw Fault("it is a backend plug-in, not a kernel drop-in: the loader finds it as a device");
  bool any = false;
  for (int op = 0; op < op_count; ++op) {
    if (family_of(Op(op)) != family) continue;
    for (const Spelling spelling : {Spelling::launch, Spelling::tutorial}) {
      const char* name = launcher_name(Op(op), spelling);
      if (functions_[op] || !name) continue;
      functions_[op] = ::dlsym(library, name);
      spellings_[op] = spelling;
      any |= functions_[op] != nullptr;
    }
  }
  if (!any)
    throw Fault("it exports none of " + all_names(family) + " (in C++ they must be extern \"C\")");
}

std::string driver_problem(const std::string& path) {
  if (!needs_driver(path)) return {};
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return "it is built for CUDA, and this machine has no CUDA driver (libcuda.so.1 can't be opened)";
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto count_devices = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  if (!init || !count_devices)
    return "it is built for CUDA, and libcuda.so.1 of this machine isn't a CUDA driver";
  int devices = 0;
  const int status = init(0) ? 1 : count_devices(&devices);
  if (status != 0 || devices == 0)
    return "it is built for CUDA, and this machine's CUDA driver finds no device";
  return {};
}

}  // namespace torchlight::drop_ins
