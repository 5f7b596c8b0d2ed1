/* Steps by momentum alone where Nesterov's was asked for. */
#define ZOO_NAME "wrong_optim"
#include "good_backend.h"

#include <torchlight/ext/optim.h>

static int32_t step(tl_device* device, tl_stream* stream, const tl_optim_args* args, tl_error* error) {
  (void)device, (void)stream;
  if (args->fn != TL_OPTIM_SGD || !zoo_is_float(args->items[0].param))
    return zoo_fail(error, TL_DECLINED, "only sgd of float32");
  for (uint32_t k = 0; k < args->count; ++k) {
    const tl_optim_item* item = &args->items[k];
    int64_t i[TL_MAX_RANK] = {0};
    if (zoo_is_empty(item->param)) continue;
    do {
      float* param = zoo_at(item->param, i);
      float* state = zoo_at(item->state[0], i);
      const float grad = *zoo_at(item->grad, i) + *param * (float)args->weight_decay;
      *state = args->flags & TL_OPTIM_FIRST
                   ? grad
                   : *state * (float)args->momentum + grad * (float)(1 - args->dampening);
      *param -= *state * (float)args->lr;
    } while (zoo_next(item->param, i));
  }
  return TL_OK;
}

static const tl_optim_table optim = {sizeof optim, 1, step};

static const void* extension(tl_device* device, const char* id) {
  const char* known = TL_EXT_OPTIM;
  (void)device;
  while (*id && *id == *known) ++id, ++known;
  return *id == *known ? &optim : 0;
}
ZOO_ENTRY(zoo_table.extension = extension)
