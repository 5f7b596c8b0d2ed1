#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

/// Whose files are loaded. Code in this process: whoever can write the file, or put another in its
/// place, can do what the user can. For the core and the plug-ins that ship with it; not installed.
namespace torchlight {

/// Owners that are accepted beside root.
struct Owners {
  uid_t user = 0;  ///< whose rights the process has
  uid_t core = 0;  ///< who owns the core library
};

/// Why a file must not be loaded, or nothing. Refused are files and directories of other owners, and
/// those that others can write. In a sticky directory (/tmp) nobody can replace another's file, so that
/// is fine; so is a group that is the owner's own (it has the owner's number) or root's. REQUIRES: an
/// absolute path without links.
std::optional<std::string> distrust(const std::string& path, const Owners& owners);
/// The same for the links on the way from a path to a file: each could be replaced where it lies.
std::optional<std::string> distrust_links(std::string path, const Owners& owners);

}  // namespace torchlight
