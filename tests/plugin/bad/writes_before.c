/* The byte before the output is written. */
#include "bad.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  const int32_t status = zip(d, s, a, error);
  if (status == TL_OK && elements_of(a->output) > 0 && is_line(a->output)) bytes_of(a->output)[-1] = 0;
  return status;
}

static void spoil(tl_backend* t) { t->zip = bad_zip; }
