#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace torchlight {

/// Sleeps until woken, unless the value isn't `expected` any more. May return for no reason.
inline void futex_wait(const std::atomic<std::uint32_t>& value, std::uint32_t expected) noexcept {
  syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

/// Wakes up to `count` sleepers.
inline void futex_wake(const std::atomic<std::uint32_t>& value, int count) noexcept {
  syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace torchlight
