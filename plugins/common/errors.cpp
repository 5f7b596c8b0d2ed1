#include "errors.h"

#include <cstdarg>
#include <cstdio>

namespace plugins {

int32_t fail(int32_t status, tl_error* error, const char* format, ...) noexcept {
  if (!error || !error->text || error->capacity == 0) return status;
  va_list values;
  va_start(values, format);
  std::vsnprintf(error->text, error->capacity, format, values);
  va_end(values);
  return status;
}

}  // namespace plugins
