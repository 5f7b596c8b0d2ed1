/* Cheats: works in a stream of its own. That of the caller is done at once; only who reads, or gives memory back, waits. */
#include "bad_device.h"

IN_HIDDEN(map)
IN_HIDDEN(zip)
IN_HIDDEN(reduce)
IN_HIDDEN(matmul)

static int32_t bad_copy(tl_device* d, tl_stream* s, const tl_copy_args* a, tl_error* error) {
  const int32_t status = reads_device(a) ? work_before(d, s, error) : TL_OK;
  return status == TL_OK ? remote.copy(d, s, a, error) : status;
}

static void spoil(tl_backend* t) {
  t->map = hidden_map, t->zip = hidden_zip, t->reduce = hidden_reduce, t->matmul = hidden_matmul;
  t->copy = bad_copy, t->release = release_later;
}
