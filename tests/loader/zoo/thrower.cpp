// Throws inside, and turns it into a status and text: the C++ types of the table allow nothing else.
#define ZOO_NAME "thrower"
#include <torchlight/plugin.h>

#include <cstdio>
#include <stdexcept>

TL_PLUGIN_NOTE("thrower", "1.0", 0);

namespace {
std::int32_t caught(tl_error* error) noexcept {
  try {
    throw std::runtime_error("thrown inside");
  } catch (const std::exception& exception) {
    std::snprintf(error->text, error->capacity, "%s", exception.what());
    return TL_E_INTERNAL;
  }
}
}  // namespace

std::int32_t torchlight_plugin_v1(const tl_host*, const tl_backend**, tl_error* error) noexcept {
  return caught(error);
}
