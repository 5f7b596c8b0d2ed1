#pragma once

#include <functional>
#include <vector>

#include "conformance.h"
#include "plugin.h"

namespace torchlight::test {

/// On one thread of the host. Times the plug-in and `reference` (may be NULL) in turn, on two sets of values in turn. What every timed call
/// gives is looked at as in any other case; what is wrong goes to `on_failure`, and then there is no speed.
std::vector<Speed> measure_speed(const Plugin& plugin, const Plugin* reference,
                                 const std::function<void(const Failure&)>& on_failure);

}  // namespace torchlight::test
