#pragma once

#pragma GCC visibility push(default)
namespace torchlight {

/// Threads that compute at once, the calling one included, on host devices. Unless set: what
/// TORCHLIGHT_NUM_THREADS says, else as many as the process may use (affinity mask and CPU quota). Results
/// don't depend on it.
int num_threads();
/// From 1 to 1024, from the next operation on; Error for others.
void set_num_threads(int count);

}  // namespace torchlight
#pragma GCC visibility pop
