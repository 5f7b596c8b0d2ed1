/* Cheats: does the last element at once, for who looks only there, and the rest when more is read or written. */
#include "bad_device.h"

/* The last element of a view, as a view. */
static tl_view last_of(const tl_view* view) {
  tl_view last = *view;
  for (uint32_t k = 0; k < view->rank; ++k) {
    last.byte_offset += (uint64_t)((view->extent[k] - 1) * view->stride[k] * (view->dtype.bits / 8));
    last.extent[k] = 1;
  }
  last.flags = 0, last.size = sizeof last;
  return last;
}

static int is_empty(const tl_view* view) {
  for (uint32_t k = 0; k < view->rank; ++k)
    if (view->extent[k] == 0) return 1;
  return 0;
}

/* In place the last element would be done twice. */
static int is_in_place(const tl_zip_args* a) {
  for (uint32_t i = 0; i < a->input_count; ++i)
    if (a->inputs[i]->block == a->output->block) return 1;
  return 0;
}

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  tl_zip_args end = *a;
  tl_view input[3], output;
  tl_support answer = {sizeof answer, 0, 0};
  int32_t status = remote.supports(d, TL_PRIMITIVE_ZIP, &a->head, &answer, error);
  if (status != TL_OK || is_empty(a->output) || is_in_place(a)) return remote.zip(d, s, a, error);
  end.head.size = sizeof end;
  for (uint32_t i = 0; i < a->input_count; ++i)
    input[i] = last_of(a->inputs[i]), end.inputs[i] = &input[i];
  output = last_of(a->output), end.output = &output;
  status = put_off(d, error);
  if (status == TL_OK) status = order(d, s, hidden, error);
  if (status == TL_OK) status = remote.zip(d, hidden, a, error);
  return status == TL_OK ? remote.zip(d, s, &end, error) : status;
}

static int32_t bad_copy(tl_device* d, tl_stream* s, const tl_copy_args* a, tl_error* error) {
  const int32_t status = reads_device(a) && a->bytes <= 8 ? TL_OK : work_before(d, s, error);
  return status == TL_OK ? remote.copy(d, s, a, error) : status;
}

static void spoil(tl_backend* t) { t->zip = bad_zip, t->copy = bad_copy, t->release = release_later; }
