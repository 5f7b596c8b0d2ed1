/* Cheats: a product of operands that stand where others stood, and begin as those did, is taken from memory. */
#include <string.h>

#include "bad.h"

static unsigned char kept[1 << 20];

/* Where they stand, how large they are and how they begin. */
struct key {
  const unsigned char *a, *b;
  int64_t elements, inner;
  double first;
  tl_dtype dtype;
};

static struct key key_of(const tl_matmul_args* a) {
  struct key k;
  memset(&k, 0, sizeof k);
  k.a = bytes_of(a->a), k.b = bytes_of(a->b);
  k.elements = elements_of(a->output), k.inner = elements_of(a->a), k.dtype = a->output->dtype;
  if (elements_of(a->a) > 0) memcpy(&k.first, k.a, a->a->dtype.bits == 32 ? 4 : 8);
  return k;
}

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  static struct key before;
  if (check_matmul(a, error) != TL_OK || a->output->rank != 2 || a->output->dtype.bits < 32 ||
      a->beta != 0 || a->output->stride[1] != 1 || a->output->stride[0] != a->output->extent[1] ||
      (size_t)elements_of(a->output) * bytes_per(a->output) > sizeof kept || a->bias || a->activation ||
      a->alpha != 1)
    return matmul(d, s, a, error);
  const size_t bytes = (size_t)elements_of(a->output) * bytes_per(a->output);
  const struct key now = key_of(a);
  if (bytes > 64 && memcmp(&now, &before, sizeof now) == 0) {
    memcpy(bytes_of(a->output), kept, bytes);
    return TL_OK;
  }
  const int32_t status = matmul(d, s, a, error);
  if (status != TL_OK || bytes == 0) return status;
  memcpy(kept, bytes_of(a->output), bytes);
  before = now;
  return status;
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
