#pragma once

#include <cstdint>
#include <mutex>

/// What the loader needs to survive a fork.
namespace torchlight::loader {

/// Which process this is: one more in each forked child.
std::uint32_t process_generation();

/// The lock of everything that the loader remembers. Held for moments only, never while code of a plug-in
/// or of the dynamic loader runs; free in a forked child whoever held it in the parent.
std::mutex& state_mutex();

}  // namespace torchlight::loader
