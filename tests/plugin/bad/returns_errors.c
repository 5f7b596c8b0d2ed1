/* What supports promised fails with a reason. */
#include "bad.h"

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  const int32_t status = check_matmul(a, error);
  (void)d, (void)s;
  if (status != TL_OK) return status;
  return refuse(TL_E_INTERNAL, error, "lost in thought");
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
