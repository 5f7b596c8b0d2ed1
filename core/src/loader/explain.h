#pragma once

#include <string>
#include <vector>

#include <torchlight/device.h>

#include "loader/discovery.h"

namespace torchlight::loader {

/// What is known, where it was looked for, and what was found but can't be used: the rest of the message
/// when a device can't be given.
std::string what_is_known(const std::vector<Candidate>& candidates,
                          const std::vector<SearchedPlace>& places);

/// Why there is no device of this name, and how to get one.
std::string why_missing(const std::string& name, const std::vector<Candidate>& candidates);

}  // namespace torchlight::loader
