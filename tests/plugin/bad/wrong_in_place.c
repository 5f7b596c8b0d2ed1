/* In place it is done twice. */
#include "bad.h"

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  const int32_t status = map(d, s, a, error);
  if (status != TL_OK || a->fn != TL_MAP_neg || elements_of(a->output) < 4) return status;
  return bytes_of(a->input) == bytes_of(a->output) ? map(d, s, a, error) : status;
}

static void spoil(tl_backend* t) { t->map = bad_map; }
