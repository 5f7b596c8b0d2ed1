/* max starts from its first element and keeps what isn't smaller: NaN counts only in the first place. */
#include "bad.h"

static int32_t bad_reduce(tl_device* d, tl_stream* s, const tl_reduce_args* a, tl_error* error) {
  if (a->fn != TL_REDUCE_max || !is_line(a->input) || a->axis_mask != 1) return reduce(d, s, a, error);
  const int32_t status = check_reduce(a, error);
  if (status != TL_OK) return status;
  int64_t index[TL_MAX_RANK] = {0}, first[TL_MAX_RANK] = {0};
  double best = get(a->input, index);
  for (; index[0] < a->input->extent[0]; ++index[0]) {
    if (get(a->input, index) > best) best = get(a->input, index);
  }
  put(a->output, first, best);
  return TL_OK;
}

static void spoil(tl_backend* t) { t->reduce = bad_reduce; }
