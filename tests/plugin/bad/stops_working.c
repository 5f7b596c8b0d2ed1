/* Cheats: after a few calls it takes them for a benchmark, and does nothing. */
#include "bad.h"

static int32_t bad_reduce(tl_device* d, tl_stream* s, const tl_reduce_args* a, tl_error* error) {
  static int calls;
  if (check_reduce(a, error) == TL_OK && elements_of(a->output) > 0 && ++calls > 12) return TL_OK;
  return reduce(d, s, a, error);
}

static void spoil(tl_backend* t) { t->reduce = bad_reduce; }
