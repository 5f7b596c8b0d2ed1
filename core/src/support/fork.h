#pragma once

#include <mutex>

namespace torchlight {

/// Makes every fork find this mutex unlocked, in the parent and in the child. For mutexes that live as
/// long as the process and are held only for moments; a thread must not hold two of them.
void survive_fork(std::mutex& mutex);

}  // namespace torchlight
