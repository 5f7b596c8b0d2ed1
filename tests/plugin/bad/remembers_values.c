/* Cheats: keeps the last products with all that went into them, and does none of them twice. What it gives is right, but
 * a benchmark that makes the same calls again measures nothing. */
#include <string.h>

#include "bad.h"

enum { places = 4, most_bytes = 256 * 256 * 4 };
static struct memory {
  int64_t rows, inner, columns;
  unsigned char a[most_bytes], b[most_bytes], output[most_bytes];
} kept[places];

static int is_sheet(const tl_view* v) {
  return v->rank == 2 && v->stride[1] == 1 && v->stride[0] == v->extent[1] && v->dtype.bits == 32 &&
         elements_of(v) * 4 <= most_bytes;
}

static size_t size_of_sheet(const tl_view* v) { return (size_t)elements_of(v) * 4; }

static int is_same(const struct memory* m, const tl_matmul_args* a) {
  return m->rows == a->a->extent[0] && m->inner == a->a->extent[1] && m->columns == a->b->extent[1] &&
         memcmp(m->a, bytes_of(a->a), size_of_sheet(a->a)) == 0 &&
         memcmp(m->b, bytes_of(a->b), size_of_sheet(a->b)) == 0;
}

static int32_t bad_matmul(tl_device* d, tl_stream* s, const tl_matmul_args* a, tl_error* error) {
  static unsigned next;
  if (check_matmul(a, error) != TL_OK || !is_sheet(a->a) || !is_sheet(a->b) || !is_sheet(a->output) ||
      elements_of(a->output) < 1024 || a->beta != 0 || a->alpha != 1 || a->bias)
    return matmul(d, s, a, error);
  for (int i = 0; i < places; ++i)
    if (is_same(&kept[i], a)) {
      memcpy(bytes_of(a->output), kept[i].output, size_of_sheet(a->output));
      return TL_OK;
    }
  const int32_t status = matmul(d, s, a, error);
  if (status != TL_OK) return status;
  struct memory* m = &kept[next++ % places];
  m->rows = a->a->extent[0], m->inner = a->a->extent[1], m->columns = a->b->extent[1];
  memcpy(m->a, bytes_of(a->a), size_of_sheet(a->a));
  memcpy(m->b, bytes_of(a->b), size_of_sheet(a->b));
  memcpy(m->output, bytes_of(a->output), size_of_sheet(a->output));
  return TL_OK;
}

static void spoil(tl_backend* t) { t->matmul = bad_matmul; }
