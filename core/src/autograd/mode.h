#pragma once

#include <cstdint>

namespace torchlight::autograd {

/// Whether this thread records history.
bool is_recording();
/// Gives what it was before.
bool set_recording(bool on);

/// A number larger than any given before: consumers of a node always have a larger one than the node.
std::uint64_t next_sequence();

}  // namespace torchlight::autograd
