/* The element behind the input is read. */
#include "bad.h"

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  const int32_t status = map(d, s, a, error);
  volatile unsigned char seen = 0;
  if (status == TL_OK && a->input && is_line(a->input) && elements_of(a->input) > 0) {
    seen = bytes_of(a->input)[elements_of(a->input) * bytes_per(a->input)];
  }
  (void)seen;
  return status;
}

static void spoil(tl_backend* t) { t->map = bad_map; }
