// In C++ an inline function with a static is what -fno-gnu-unique and hidden visibility are for: one
// more exported symbol otherwise.
#include <torchlight/plugin.h>

TL_PLUGIN_NOTE("good_cxx", "1", 0);

struct Counter {
  static int& value() {
    static int counter = 0;
    return counter;
  }
};

int32_t torchlight_plugin_v1(const tl_host*, const tl_backend**, tl_error*) noexcept {
  return ++Counter::value() > 0 ? TL_E_STATE : TL_OK;
}
