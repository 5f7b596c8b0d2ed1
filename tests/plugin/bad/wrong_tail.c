/* The last element of a row that doesn't fill a register is a little off. */
#include "bad.h"

static int is_dense(const tl_view* view) {
  return is_line(view) ||
         (view->rank == 2 && view->stride[1] == 1 && view->stride[0] == view->extent[1]);
}

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  const int32_t status = map(d, s, a, error);
  if (status == TL_OK && a->fn == TL_MAP_exp && is_dense(a->output) &&
      elements_of(a->output) % 4 == 3) {
    /* in the middle of the significand */
    const uint32_t byte = bytes_per(a->output) == 4 ? 1 : bytes_per(a->output) == 8 ? 5 : 0;
    bytes_of(a->output)[(elements_of(a->output) - 1) * bytes_per(a->output) + byte] ^= 8;
  }
  return status;
}

static void spoil(tl_backend* t) { t->map = bad_map; }
