/* Scratch memory comes from malloc. */
#include <stdlib.h>

#include "bad.h"

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  void* volatile scratch = malloc(64);
  free(scratch);
  return matmul(d, s, a, error);
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
