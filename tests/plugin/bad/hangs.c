/* A product that is never done. */
#include "bad.h"

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  const int32_t status = check_matmul(a, error);
  volatile int forever = status == TL_OK;
  while (forever) forever = 1;
  return matmul(d, s, a, error);
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
