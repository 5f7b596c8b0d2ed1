#include "loader/search_places.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>

#include "loader/core_location.h"
#include "support/environment.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

constexpr struct {
  const char* variable;
  Origin origin;
} lists[] = {{"TORCHLIGHT_PLUGIN_PATH", Origin::plugin_path},
             {"TORCHLIGHT_CUDA_KERNEL_DIR", Origin::kernel_dir}};

void mention_elevation() {
  if (getauxval(AT_SECURE) == 0) return;
  for (const auto& list : lists) {
    if (!std::getenv(list.variable)) continue;  // looked at only to say that it doesn't count
    log::warn(text(list.variable, " is ignored: this process has more rights than its user"));
    return;
  }
}

}  // namespace

std::string_view describe(Origin origin) {
  switch (origin) {
    case Origin::api: return "load_plugin";
    case Origin::plugin_path: return lists[0].variable;
    case Origin::kernel_dir: return lists[1].variable;
    case Origin::beside_core: return "beside the core library";
    case Origin::installed: return "installed plug-ins";
  }
  return "";
}

std::vector<Place> split_list(std::string_view list, Origin origin) {
  std::vector<Place> places;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0)
      places.push_back({std::string(list.substr(0, end)), origin});
    else
      log::warn(text(describe(origin), ": an empty entry is ignored"));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return places;
}

std::vector<Place> search_places() {
  mention_elevation();
  std::vector<Place> places;
  for (const auto& list : lists)
    for (Place& place : split_list(environment::get(list.variable).value_or(""), list.origin))
      places.push_back(std::move(place));
  for (std::string& directory : directories_beside_core())
    places.push_back({std::move(directory), Origin::beside_core});
  places.push_back({TORCHLIGHT_INSTALLED_PLUGINS, Origin::installed});
  return places;
}

}  // namespace torchlight::loader
