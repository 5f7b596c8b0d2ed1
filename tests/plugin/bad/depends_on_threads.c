/* The sum is cut by the number of threads, though it is said to be repeatable. */
#include <torchlight/ext/host_parallel.h>

#include "bad.h"

static int32_t bad_reduce(tl_device* d, tl_stream* s, const tl_reduce_args* a, tl_error* error) {
  const tl_host_parallel* pool = the_host->extension(the_host, TL_EXT_HOST_PARALLEL);
  const int32_t status = reduce(d, s, a, error);
  if (status == TL_OK && a->fn == TL_REDUCE_sum && elements_of(a->input) > 100 &&
      pool->concurrency() == 8 && is_line(a->output)) {
    bytes_of(a->output)[0] ^= 1;
  }
  return status;
}

static void spoil(tl_backend* t) { t->reduce = bad_reduce; }
