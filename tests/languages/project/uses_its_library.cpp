// The C++ template, and around it a backend that leans on its C++ library whenever it is asked about a product:
// exceptions that the library itself throws, run-time types, streams, locales, memory. All of it goes wrong
// where two C++ libraries in one process take each other's symbols.
#include <torchlight/plugin.h>

// The template's entry becomes a function of this file.
#define torchlight_plugin_v1 template_entry
#include "my_backend.cpp"
#undef torchlight_plugin_v1

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Base {
  virtual ~Base() = default;
};
struct Derived final : Base {};

bool library_works() {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << 0.5 << ' ' << std::hex << 255;
  const std::unique_ptr<Base> object = std::make_unique<Derived>();
  int caught = 0;
  try {
    (void)std::stoi("no number");
  } catch (const std::invalid_argument&) {
    ++caught;
  }
  try {
    (void)std::vector<int>(3).at(3);
  } catch (const std::exception&) {
    ++caught;
  }
  return text.str() == "0.5 ff" && dynamic_cast<Derived*>(object.get()) && caught == 2;
}

int32_t supports_and_more(tl_device* device, uint32_t primitive, const tl_args* args,
                          tl_support* answer, tl_error* error) noexcept {
  if (primitive == TL_PRIMITIVE_MATMUL && !library_works())
    return refuse(TL_E_INTERNAL, error, "the C++ library doesn't work");
  return supports(device, primitive, args, answer, error);
}

int32_t info_of_library(uint32_t index, tl_device_info* info, tl_error* error) noexcept {
  const int32_t status = device_info(index, info, error);
  if (status != TL_OK || info->size < sizeof *info) return status;
    // Without memory: where there is none, glibc ends the process at a static library's first exception.
#ifdef _LIBCPP_VERSION
  std::snprintf(info->description, sizeof info->description, "with libc++ %d", _LIBCPP_VERSION);
#else
  std::snprintf(info->description, sizeof info->description, "with libstdc++ %d", __GLIBCXX__);
#endif
  return TL_OK;
}

constexpr tl_backend table_with_library = [] {
  tl_backend b = table;
  b.device_info = info_of_library;
  b.supports = supports_and_more;
  return b;
}();

}  // namespace

int32_t torchlight_plugin_v1(const tl_host*, const tl_backend** backend, tl_error*) noexcept {
  *backend = &table_with_library;
  return TL_OK;
}
