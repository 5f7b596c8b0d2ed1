/* Says yes to everything, then refuses. */
#define ZOO_NAME "false_promise"
#include "good_backend.h"
static int32_t yes(tl_device* device, uint32_t primitive, const tl_args* args, tl_support* answer,
                   tl_error* error) {
  (void)device, (void)primitive, (void)args, (void)answer, (void)error;
  return TL_OK;
}
ZOO_ENTRY(zoo_table.supports = yes)
