#pragma once

#include <string>

#include <torchlight/tensor.h>

namespace command {

namespace tl = torchlight;

/// The path of a file that comes with this program.
std::string own_data(const std::string& name);

/// FileError naming the first row where `wrong` (rows) is true; the first of all stands on line `first_line`.
void refuse_rows(const tl::Tensor& wrong, const std::string& path, std::int64_t first_line,
                 const std::string& what);

}  // namespace command
