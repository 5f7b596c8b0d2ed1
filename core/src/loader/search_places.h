#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Where plug-ins are looked for.
namespace torchlight::loader {

enum class Origin { api, plugin_path, kernel_dir, beside_core, installed };

/// "TORCHLIGHT_PLUGIN_PATH", "beside the core library", …
std::string_view describe(Origin origin);

/// Whether plug-ins from there are ours: shipped with the core.
constexpr bool is_shipped(Origin origin) {
  return origin == Origin::beside_core || origin == Origin::installed;
}

/// A directory or a file, as it was named.
struct Place {
  std::string path;
  Origin origin = Origin::api;
};

/// The entries of a list "a:b:c" as it stands in an environment variable. Empty ones are left out: they
/// never mean the current directory.
std::vector<Place> split_list(std::string_view list, Origin origin);

/// All places, in order, from the environment as it was at first use. The current directory is never
/// among them. In an elevated process the environment doesn't count; one message says so.
std::vector<Place> search_places();

}  // namespace torchlight::loader
