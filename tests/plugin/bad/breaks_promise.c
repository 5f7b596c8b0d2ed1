/* supports knows nothing of a limit that the call has. */
#include "bad.h"

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  const int32_t status = check_matmul(a, error);
  if (status == TL_OK && a->output->rank > 3)
    return refuse(TL_DECLINED, error, "no batches of batches");
  return matmul(d, s, a, error);
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
