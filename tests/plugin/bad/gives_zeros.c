/* Cheats: writes zeros and hopes that nobody looks. */
#include <string.h>

#include "bad.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  const int32_t status = check_zip(a, error);
  if (status != TL_OK || !is_line(a->output)) return zip(d, s, a, error);
  if (elements_of(a->output) > 0)
    memset(bytes_of(a->output), 0, (size_t)elements_of(a->output) * bytes_per(a->output));
  return TL_OK;
}

static void spoil(tl_backend* t) { t->zip = bad_zip; }
