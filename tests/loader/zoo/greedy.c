/* Wants an exbibyte to add up six numbers. */
#define ZOO_NAME "greedy"
#include "good_backend.h"
static int32_t want_all(tl_device* device, uint32_t primitive, const tl_args* args, tl_support* answer,
                        tl_error* error) {
  const int32_t status = zoo_supports(device, primitive, args, answer, error);
  answer->workspace_bytes = (uint64_t)1 << 60;
  return status;
}
ZOO_ENTRY(zoo_table.supports = want_all)
