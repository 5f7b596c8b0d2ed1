#include "options.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace torchlight::drop_ins {
namespace {

namespace fs = std::filesystem;

std::string setting(const tl_host& host, const char* name) {
  const char* value = host.setting(&host, name);
  return value ? value : "";
}

/// The loader opens a plug-in by its absolute path, so this is one.
fs::path own_directory(const void* anchor) {
  Dl_info info{};
  if (!::dladdr(anchor, &info) || !info.dli_fname || info.dli_fname[0] != '/') return {};
  return fs::path(info.dli_fname).parent_path();
}

/// libexec lies beside lib, above which the plug-ins' directory is two or three levels deep.
std::string find_helper(fs::path directory) {
  for (int level = 0; level < 4 && directory.has_relative_path(); ++level) {
    directory = directory.parent_path();
    const fs::path helper = directory / "libexec/torchlight/drop-in-host";
    if (::access(helper.c_str(), X_OK) == 0) return helper.string();
  }
  return {};
}

std::string find_cache() {
  const char* cache = ::secure_getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return std::string(cache) + "/torchlight/drop_ins";
  const char* home = ::secure_getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/torchlight/drop_ins" : std::string();
}

}  // namespace

Options options_from(const tl_host& host, const void* anchor) {
  Options options;
  if (::getauxval(AT_SECURE) == 0) options.directories = setting(host, "TORCHLIGHT_CUDA_KERNEL_DIR");
  const std::string which = setting(host, "TORCHLIGHT_DROP_INS");
  options.off = which == "off";
  options.trust_all = setting(host, "TORCHLIGHT_TRUST_ALL") == "1";
  const fs::path here = own_directory(anchor);
  if (!here.empty() && which != "only")
    options.installed = (here.parent_path() / "cuda_kernels").string();
  options.helper = find_helper(here);
  options.cache = find_cache();
  return options;
}

}  // namespace torchlight::drop_ins
