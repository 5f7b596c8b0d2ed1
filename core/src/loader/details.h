#pragma once

#include <vector>

#include <torchlight/device.h>
#include <torchlight/ext/details.h>

namespace torchlight::loader {

class OpenDevice;

/// What the plug-in tells of its device (torchlight.details/1), made harmless whatever it is. Where it fails to
/// tell, or tells nonsense, a topic "details" says so.
std::vector<DeviceDetail> details_of(const tl_details_table& table, const OpenDevice& device,
                                     Details details);

}  // namespace torchlight::loader
