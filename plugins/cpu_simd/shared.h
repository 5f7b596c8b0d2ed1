#pragma once

#include "common/check.h"
#include "common/check_common.h"
#include "common/domains.h"
#include "common/errors.h"
#include "common/workspace.h"

/// What this plug-in shares with others of ours.
namespace cpu_simd {
using namespace plugins;
}
