#pragma once

#include <string>
#include <string_view>

namespace torchlight::io {

/// A name from a file for a message: in quotes, what isn't printable ASCII as \x1b, and not too long.
std::string quoted(std::string_view name);

}  // namespace torchlight::io
