#pragma once

#include "shared/trust.h"

namespace torchlight::loader {

using torchlight::distrust;
using torchlight::distrust_links;
using torchlight::Owners;

/// Of this process; found out once.
Owners trusted_owners();

}  // namespace torchlight::loader
