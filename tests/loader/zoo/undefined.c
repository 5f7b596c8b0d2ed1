/* Uses a symbol that nobody has, and would find out in the first call. */
#define ZOO_NAME "undefined"
#include "good_backend.h"
int32_t zoo_nowhere(void);
static int32_t calling_map(tl_device* device, tl_stream* stream, const tl_map_args* args,
                           tl_error* error) {
  (void)device, (void)stream, (void)args, (void)error;
  return zoo_nowhere();
}
ZOO_ENTRY(zoo_table.map = calling_map)
