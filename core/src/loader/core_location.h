#pragma once

#include <string>
#include <vector>

/// Where the core itself lies: the shipped plug-ins lie beside it.
namespace torchlight::loader {

/// The absolute path of the file that holds this code: libtorchlight.so, or the program it is linked
/// into. Empty if it can't be found out.
const std::string& core_file();

/// Directories that shipped plug-ins may lie in, beside the core.
std::vector<std::string> directories_beside_core();

}  // namespace torchlight::loader
