/* Ends the process in a call. */
#include <stdlib.h>

#include "bad.h"

static int32_t bad_reduce(tl_device* d, tl_stream* s, const tl_reduce_args* a, tl_error* error) {
  if (check_reduce(a, error) == TL_OK && elements_of(a->input) > 1000) abort();
  return reduce(d, s, a, error);
}

static void spoil(tl_backend* t) { t->reduce = bad_reduce; }
