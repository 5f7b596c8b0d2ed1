/* The sum of nothing is never written. */
#include "bad.h"

static int32_t bad_reduce(tl_device* d, tl_stream* s, const tl_reduce_args* a, tl_error* error) {
  const int32_t status = check_reduce(a, error);
  return status == TL_OK && elements_of(a->input) == 0 ? TL_OK : reduce(d, s, a, error);
}

static void spoil(tl_backend* t) { t->reduce = bad_reduce; }
