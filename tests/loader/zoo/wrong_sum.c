/* Computes plausible wrong sums. */
#define ZOO_NAME "wrong_sum"
#include "good_backend.h"
static int32_t wrong_reduce(tl_device* device, tl_stream* stream, const tl_reduce_args* args,
                            tl_error* error) {
  int64_t first[TL_MAX_RANK] = {0};
  const int32_t status = zoo_reduce(device, stream, args, error);
  if (status == TL_OK && !zoo_is_empty(args->output)) *zoo_at(args->output, first) += 0.25f;
  return status;
}
ZOO_ENTRY(zoo_table.reduce = wrong_reduce)
