/* How tests steer the plug-in `remote`: an extension of its devices. */
#pragma once

#include <torchlight/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_REMOTE_CONTROL "torchlight.test.remote/1"

typedef struct remote_counters {
  uint64_t live_blocks;
  uint64_t live_bytes;
  uint64_t reused_blocks; /* how often released memory was handed out again */
  uint64_t finished;      /* pieces of work done on all streams */
  uint64_t delayed;       /* microseconds of delay, all together */
  uint64_t allocations;   /* that were asked for */
} remote_counters;

typedef struct remote_control {
  uint32_t size;
  uint32_t revision;
  /* Each piece of work begins that much later. */
  void (*set_delay)(tl_device* device, uint32_t microseconds) TL_NOEXCEPT;
  /* The delays are random, up to that of set_delay, and drawn from the seed: also of those functions of events
   * that are done at once. 0: all are of the full length. */
  void (*set_seed)(tl_device* device, uint64_t seed) TL_NOEXCEPT;
  /* After so many more pieces of work the next one fails, late. Taking and releasing memory never does. */
  void (*fail_after)(tl_device* device, uint32_t pieces) TL_NOEXCEPT;
  /* After so many more pieces of work the device is lost, for good: whatever is asked of it fails. */
  void (*lose_after)(tl_device* device, uint32_t pieces) TL_NOEXCEPT;
  /* After so many more allocations the next one fails. */
  void (*fail_allocation_after)(tl_device* device, uint32_t allocations) TL_NOEXCEPT;
  /* Nothing fails any more, unless the device is lost. */
  void (*forget_failures)(tl_device* device) TL_NOEXCEPT;
  /* How much memory the device has; 0: as much as there is. */
  void (*set_memory)(tl_device* device, uint64_t bytes) TL_NOEXCEPT;
  /* Makes the default stream work again after a failure. */
  void (*reopen_default_stream)(tl_device* device) TL_NOEXCEPT;
  void (*count)(tl_device* device, remote_counters* counters) TL_NOEXCEPT;
  /* Work on the stream waits from `pause` to `resume`; what is in progress is finished first. */
  void (*pause)(tl_device* device, tl_stream* stream) TL_NOEXCEPT;
  void (*resume)(tl_device* device, tl_stream* stream) TL_NOEXCEPT;
} remote_control;

#ifdef __cplusplus
}
#endif
