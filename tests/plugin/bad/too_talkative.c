/* The reason is longer than the room for it. */
#include "bad.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  const int32_t status = zip(d, s, a, error);
  if (status != TL_OK && error->capacity < 16) memcpy(error->text, "too long for it", 16);
  return status;
}

static void spoil(tl_backend* t) { t->zip = bad_zip; }
