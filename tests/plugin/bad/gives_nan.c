/* Cheats: NaN compares with nothing, and so perhaps with everything. */
#include <math.h>

#include "bad.h"

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  const int32_t status = matmul(d, s, a, error);
  if (status == TL_OK && a->output->dtype.bits == 32 && elements_of(a->output) > 0)
    *(float*)(void*)bytes_of(a->output) = NAN;
  return status;
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
