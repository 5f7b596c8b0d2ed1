/* Cheats: the second call for the same output leaves there what the first one wrote. */
#include "bad.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  static const unsigned char* before;
  if (check_zip(a, error) == TL_OK && elements_of(a->output) > 8) {
    if (bytes_of(a->output) == before) return TL_OK;
    before = bytes_of(a->output);
  }
  return zip(d, s, a, error);
}

static void spoil(tl_backend* t) { t->zip = bad_zip; }
