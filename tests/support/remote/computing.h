#pragma once

#include <torchlight/plugin.h>

#include <cstdint>

/// What the device computes with. There are two: `remote` has loops of its own for a part of the functions
/// (plain.cpp), `remote_simd` has cpu_simd's kernels and extensions, all of them (simd.cpp).
namespace remote {

/// Called by the entry, before anything else; what it returns is the entry's answer.
std::int32_t prepare_computing(const tl_host* host, tl_error* error);
/// `supports` and the primitives.
void add_primitives(tl_backend& table);
/// NULL for one that isn't offered.
const void* find_extension(const char* id);

}  // namespace remote
