#pragma once

#include <string_view>

#include "dispatch/run.h"

namespace torchlight::dispatch {

/// Does on cpu what `device` declined: on the memory itself where the host sees it, else through
/// copies. TORCHLIGHT_FALLBACK decides: error raises DeviceError, warn (the default) says so once for
/// each operation, allow is silent. Every fallback is counted and part of the device's report.
void fall_back(OpenDevice& device, const Call& call, std::string_view reason);

}  // namespace torchlight::dispatch
