/* Cheats: begins to work when somebody reads. */
#include "bad_device.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  int32_t status = put_off(d, error);
  if (status == TL_OK) status = order(d, s, hidden, error);
  return status == TL_OK ? remote.zip(d, hidden, a, error) : status;
}

static int32_t bad_copy(tl_device* d, tl_stream* s, const tl_copy_args* a, tl_error* error) {
  const int32_t status = reads_device(a) ? work_before(d, s, error) : TL_OK;
  return status == TL_OK ? remote.copy(d, s, a, error) : status;
}

static void spoil(tl_backend* t) { t->zip = bad_zip, t->copy = bad_copy, t->release = release_later; }
