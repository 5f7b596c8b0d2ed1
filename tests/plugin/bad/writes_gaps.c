/* Rows are written whole, also what lies between the elements of a strided output. */
#include "bad.h"

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  const int32_t status = map(d, s, a, error);
  const tl_view* y = a->output;
  if (status == TL_OK && y->rank > 0 && y->stride[y->rank - 1] > 1 && elements_of(y) > 1 &&
      y->extent[y->rank - 1] > 1) {
    bytes_of(y)[bytes_per(y)] = 0;
  }
  return status;
}

static void spoil(tl_backend* t) { t->map = bad_map; }
