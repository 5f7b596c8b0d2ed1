#pragma once

#include <torchlight/plugin.h>

#include <string>

namespace test {

/// The note that a plug-in of this name would have.
tl_note make_note(const std::string& name = "crafted");

/// The smallest file that passes the first gate: header, three program headers, note, dynamic section and
/// its names. Not one that could be loaded.
std::string crafted_elf(const tl_note& note = make_note());

}  // namespace test
