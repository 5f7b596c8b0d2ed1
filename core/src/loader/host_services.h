#pragma once

#include <torchlight/plugin.h>

namespace torchlight::loader {

/// What the core offers to plug-ins: log, settings, and the thread pool as an extension. Valid for as long
/// as the process lives.
const tl_host* host_services();

}  // namespace torchlight::loader
