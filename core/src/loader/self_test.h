#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "loader/open_device.h"

namespace torchlight::loader {

/// Runs tiny cases with known answers through one primitive of a device: strided and broadcast operands,
/// in the device's own memory, on a stream of its own. What is wrong, with the numbers; nothing where all
/// is well or the device declines these cases. DeviceError if it fails for other reasons.
std::optional<std::string> self_test(OpenDevice& device, std::uint32_t primitive);

}  // namespace torchlight::loader
