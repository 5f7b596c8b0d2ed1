/* One element too many is written. */
#include "bad.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  const int32_t status = zip(d, s, a, error);
  const int64_t n = elements_of(a->output);
  if (status == TL_OK && n > 0 && is_line(a->output)) bytes_of(a->output)[n * bytes_per(a->output)] = 0;
  return status;
}

static void spoil(tl_backend* t) { t->zip = bad_zip; }
