#pragma once

#include <cstdint>

#include <torchlight/plugin.h>

#include "loader/library.h"
#include "loader/note.h"

/// The second gate: the entry function and the table it gives.
namespace torchlight::loader {

struct Backend {
  tl_backend table;            ///< our own copy: NULL for whatever the plug-in's lacks
  std::uint32_t device_count;  ///< 0 is fine: no such hardware here
};

/// Calls the entry. Rejection, with the reason, unless the table is one that this core can work with: the
/// same major, the note's name and version, every required function.
Backend shake_hands(const Library& library, const Identity& identity);

}  // namespace torchlight::loader
