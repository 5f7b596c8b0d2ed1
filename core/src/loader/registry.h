#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/open_device.h"

/// Every plug-in file that discovery met and every device opened so far. Filled on first use, by one
/// thread while the others wait for it; never destroyed. No lock is held while a device is opened.
namespace torchlight::loader {

/// "cpu", "cuda:1", or a list "cuda,cpu": the first that works. Opens it if need be. DeviceError with all
/// that is known.
OpenDevice& open(std::string_view name);
/// set_default, else TORCHLIGHT_DEVICE as it is now, else cpu.
OpenDevice& default_device();
void set_default(OpenDevice& device);
/// The shipped cpu_simd.
OpenDevice& cpu();

std::vector<Candidate> candidates();
/// All devices of all plug-ins that work.
std::vector<OpenDevice*> open_all();
/// Adds one file, before all others. Gives its name.
std::string add(const std::string& path);

}  // namespace torchlight::loader
