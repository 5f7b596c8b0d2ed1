#pragma once

#include <string>

#include <torchlight/device.h>
#include <torchlight/error.h>

#include "commands.h"

namespace command {

namespace tl = torchlight;

/// Makes a project's Setup, in which everything that can be wrong with the user's wishes is checked: BadInput
/// for what is.
template <class Setup, class Options> Setup prepare(const Options& options) {
  try {
    return Setup(options);
  } catch (const tl::Error& error) {
    throw BadInput(error.what());
  }
}

inline tl::Device device_of(const std::string& name) {
  return name.empty() ? tl::Device() : tl::Device(name);
}

}  // namespace command
