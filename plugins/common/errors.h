#pragma once

#include <torchlight/plugin.h>

namespace plugins {

/// Writes one line into the caller's buffer (which may be absent) and returns `status`.
[[gnu::cold, gnu::format(printf, 3, 4)]] int32_t fail(int32_t status, tl_error* error,
                                                      const char* format, ...) noexcept;

}  // namespace plugins
