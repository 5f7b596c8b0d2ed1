/* The momentum of a step is used and not kept. */
#include "bad.h"

#include <string.h>
#include <torchlight/ext/optim.h>

static int32_t bad_step(tl_device* d, tl_stream* s, const tl_optim_args* a, tl_error* error) {
  (void)d, (void)s, (void)error;
  for (uint32_t k = 0; k < a->count; ++k) {
    const tl_optim_item* item = &a->items[k];
    float* param = (float*)(void*)bytes_of(item->param);
    const float* grad = (const float*)(const void*)bytes_of(item->grad);
    const float* state = (const float*)(const void*)bytes_of(item->state[0]);
    for (int64_t i = 0; i < elements_of(item->param); ++i)
      param[i] -= (float)a->lr * (state[i] * (float)a->momentum + grad[i] * (float)(1 - a->dampening));
  }
  return TL_OK;
}

static const void* bad_extension(tl_device* device, const char* id) {
  static const tl_optim_table optim_table = {sizeof table, 1, bad_step};
  (void)device;
  return strcmp(id, TL_EXT_OPTIM) == 0 ? &optim_table : NULL;
}

static void spoil(tl_backend* t) { t->extension = bad_extension; }
