/* matmul multiplies what the output held by a beta of 0, and 0 times NaN is NaN. */
#include "bad.h"

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  walk w;
  const int32_t status = check_matmul(a, error);
  double before = 0;
  if (status != TL_OK || !begin(&w, a->output)) return status;
  before = get(a->output, w.index);
  matmul(d, s, a, error);
  put(a->output, w.index, get(a->output, w.index) + a->beta * 0 * before);
  return TL_OK;
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
