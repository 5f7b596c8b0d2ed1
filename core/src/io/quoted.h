#pragma once

#include <string>
#include <string_view>

#include "support/text.h"

namespace torchlight::io {

/// A name from a file for a message: in quotes, printable, and not too long.
inline std::string quoted(std::string_view name) { return "\"" + excerpt(name, 100) + "\""; }

}  // namespace torchlight::io
