// What C++ would export beside the entry: an inline function's static, and templates of the C++ library.
#include <map>
#include <string>

#include <torchlight/plugin.h>

TL_PLUGIN_NOTE("good_cxx", "1", 0);

struct Counter {
  static int& value() {
    static int counter = 0;
    return counter;
  }
};

int32_t torchlight_plugin_v1(const tl_host*, const tl_backend**, tl_error*) noexcept {
  std::map<std::string, int> counts;
  counts["calls"] = ++Counter::value();
  return counts.size() == 1 ? TL_E_STATE : TL_OK;
}
