// Compiles without CONTROL. With it, a function that may throw stands in the table, and it must not.
#include <torchlight/plugin.h>

#ifdef CONTROL
#define MAY noexcept(false)
#else
#define MAY noexcept
#endif

static int32_t count(uint32_t*, tl_error*) MAY { return TL_OK; }

tl_backend table() {
  tl_backend t{};
  t.device_count = count;
  return t;
}
