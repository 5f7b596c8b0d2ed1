/* Where the input starts decides how it is added up, though the sum is said to be repeatable. */
#include "bad.h"

static int32_t bad_reduce(tl_device* d, tl_stream* s, const tl_reduce_args* a, tl_error* error) {
  const int32_t status = reduce(d, s, a, error);
  if (status == TL_OK && a->fn == TL_REDUCE_sum && elements_of(a->input) > 100 && is_line(a->output) &&
      (uintptr_t)bytes_of(a->input) % 64 == 16) {
    bytes_of(a->output)[0] ^= 1;
  }
  return status;
}

static void spoil(tl_backend* t) { t->reduce = bad_reduce; }
