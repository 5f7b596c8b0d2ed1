#pragma once

#include <functional>
#include <vector>

#include "conformance.h"
#include "plugin.h"

namespace torchlight::test {

/// On one thread of the host. Times the plug-in and options.reference in turn, in those of the cases that options.only
/// names. Each timed call has values of its own, and what it gives is looked at as in any other case; what is wrong goes
/// to `on_failure`, and then there is no speed. So does a call that is made again and takes less than a third of the time.
std::vector<Speed> measure_speed(const Plugin& plugin, const Options& options,
                                 const std::function<void(const Failure&)>& on_failure);

}  // namespace torchlight::test
