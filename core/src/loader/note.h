#pragma once

#include <cstdint>
#include <string>

#include <torchlight/plugin.h>

#include "loader/elf_file.h"

/// The first gate: the identity note, read before any code of the file runs.
namespace torchlight::loader {

/// What a plug-in says about itself, well-formed.
struct Identity {
  std::string name;
  std::string version;
  std::uint16_t abi_major = 0;
  std::uint16_t abi_minor_built = 0;
  std::uint16_t abi_minor_needed = 0;
  std::uint16_t kind = 0;
  std::uint32_t sanitizer = TL_SANITIZER_NONE;
  std::uint64_t cpu_needs = 0;
};

/// Reads the note. Rejection if there is none (foreign), or it is malformed (broken).
Identity read_note(const ElfFile& elf);

/// Rejection (unfit) if a plug-in of this identity can't work here: another ABI major, a newer minor
/// needed, an unknown kind, another sanitizer than the core's, a CPU without what it needs.
void check_identity(const Identity& identity, std::uint64_t cpu_features);

}  // namespace torchlight::loader
