/* Host extension torchlight.host.parallel/1: the process's one thread pool. The table comes from
 * tl_host.extension(host, TL_EXT_HOST_PARALLEL). A plug-in uses it and brings no threads of its own. */
#ifndef TORCHLIGHT_EXT_HOST_PARALLEL_H
#define TORCHLIGHT_EXT_HOST_PARALLEL_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_HOST_PARALLEL "torchlight.host.parallel/1"

typedef struct tl_host_parallel {
  uint32_t size;
  uint32_t revision;
  /* [any] How many threads may work at once, the caller included: at least 1. Use it to decide whether
   * splitting pays, not where to split: cut work by its size, so that results don't depend on it. */
  uint32_t (*concurrency)(void) TL_NOEXCEPT;
  /* [any] Calls body(context, i) once for each i in 0 … count-1, from the calling thread and the pool,
   * in any order, and returns when all are done. Nested calls run in the calling thread. */
  void (*run)(uint64_t count, void (*body)(void* context, uint64_t index) TL_NOEXCEPT,
              void* context) TL_NOEXCEPT;
} tl_host_parallel;
enum { TL_HOST_PARALLEL_SIZE_0 = 24 }; /* in minor 0, see plugin.h */

#ifdef __cplusplus
}
#endif
#endif
