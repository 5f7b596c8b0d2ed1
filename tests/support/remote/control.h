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
} remote_counters;

typedef struct remote_control {
  uint32_t size;
  uint32_t revision;
  /* Each piece of work begins that much later. */
  void (*set_delay)(tl_device* device, uint32_t microseconds) TL_NOEXCEPT;
  /* After so many more pieces of work the next one fails, late. */
  void (*fail_after)(tl_device* device, uint32_t pieces) TL_NOEXCEPT;
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
