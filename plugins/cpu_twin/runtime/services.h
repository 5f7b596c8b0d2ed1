#pragma once

#include "runtime/warp.h"

namespace twin {

/// The functions that generated code calls.
const Services& services();

}  // namespace twin
