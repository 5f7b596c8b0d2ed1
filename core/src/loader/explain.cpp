#include "loader/explain.h"

#include <algorithm>

#include "support/text.h"

namespace torchlight::loader {
namespace {

using State = Candidate::State;

constexpr std::size_t most_lines = 20;

bool is_usable(const Candidate& candidate) {
  return candidate.state == State::found || candidate.state == State::loaded;
}

std::string known_devices(const std::vector<Candidate>& candidates) {
  std::string list;
  for (const Candidate& candidate : candidates)
    if (is_usable(candidate)) list += (list.empty() ? "" : ", ") + public_name(candidate.name);
  return list.empty() ? "none" : list;
}

/// Those that wanted to be plug-ins first; those that didn't may be somebody's plug-in without its note.
std::string unusable_files(const std::vector<Candidate>& candidates) {
  std::string lines;
  std::size_t count = 0;
  for (const bool ignored : {false, true})
    for (const Candidate& candidate : candidates) {
      if (is_usable(candidate) || (candidate.state == State::ignored) != ignored) continue;
      if (++count <= most_lines) lines += text("\n    ", candidate.path, ": ", candidate.reason);
    }
  if (count > most_lines)
    lines += text("\n    and ", count - most_lines, " more: see torchlight devices");
  return lines;
}

}  // namespace

std::string what_is_known(const std::vector<Candidate>& candidates,
                          const std::vector<SearchedPlace>& places) {
  std::string message = text("\n  known devices: ", known_devices(candidates), "\n  looked in:");
  for (const SearchedPlace& searched : places)
    message += text("\n    ", searched.place.path, " (", describe(searched.place.origin), ")",
                    searched.problem.empty() ? "" : ": ", searched.problem);
  const std::string unusable = unusable_files(candidates);
  if (!unusable.empty()) message += "\n  found, but not usable:" + unusable;
  return message;
}

std::string why_missing(const std::string& name, const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates)
    if (public_name(candidate.name) == name && candidate.state == State::rejected)
      return text("device \"", name, "\": its plug-in ", candidate.path,
                  " can't be used: ", candidate.reason);
  if (name == "cuda")
    return text(
        "device \"cuda\": there is no cuda plug-in here. It is built with NVIDIA's CUDA toolkit "
        "(cmake --preset cuda; README.md, Limits); cpu_twin runs the same kernels without a GPU. Name "
        "the "
        "directory that holds cuda.so in TORCHLIGHT_PLUGIN_PATH, or choose another device in "
        "TORCHLIGHT_DEVICE");
  return text("device \"", name, "\": no plug-in of this name was found");
}

}  // namespace torchlight::loader
