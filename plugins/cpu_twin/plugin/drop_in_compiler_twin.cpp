// Sources of kernel drop-ins, compiled for the twin into what the drop-in host opens like any launcher.
#include <dlfcn.h>

#include <exception>
#include <filesystem>

#include "device_setup.h"
#include "options.h"
#include "runtime/process.h"

namespace cuda_backend {
namespace {

/// The twin's library, which launchers call.
std::string twin_library() {
  Dl_info here{};
  dladdr(reinterpret_cast<void*>(&twin::Process::get), &here);
  return here.dli_fname;
}

bool compile(const char* source, std::string* made, std::string* error) {
  try {
    twin::Toolchain& toolchain = twin::Process::get().toolchain();
    // As the documented nvcc command does: C++14, and headers beside the source.
    const twin::Source unit{source, {"-std=c++14", "-I" + twin::Process::get().home() + "/api"}, true};
    const std::string object = toolchain.host_object(unit, toolchain.ptx(unit));
    const std::string library = twin_library();
    const std::string folder = std::filesystem::path(library).parent_path();
    *made = toolchain.link({object}, true, {library, "-Wl,-rpath," + folder, "-lstdc++", "-lm"});
    return true;
  } catch (const std::exception& problem) {
    *error = problem.what();
    return false;
  }
}

}  // namespace

void set_drop_in_compiler(torchlight::drop_ins::Options& options) {
  options.compile = compile;
  options.compiler = "cpu_twin";
  // A step may have to compile a kernel, which clang is given two minutes for.
  options.source_limits = {150, 150, 900, 300};
}

}  // namespace cuda_backend
