/* Changes the floating-point mode wherever it can: rounding when it is loaded and in each function. */
#define ZOO_NAME "floating_mode"
#include <fenv.h>

#include "good_backend.h"
__attribute__((constructor)) static void at_load(void) { fesetround(FE_TOWARDZERO); }
static int32_t rude_open(uint32_t index, tl_device** device, tl_error* error) {
  fesetround(FE_UPWARD);
  return zoo_open(index, device, error);
}
static int32_t rude_map(tl_device* device, tl_stream* stream, const tl_map_args* args,
                        tl_error* error) {
  const int32_t status = zoo_map(device, stream, args, error);
  fesetround(FE_TOWARDZERO);
  return status;
}
ZOO_ENTRY(fesetround(FE_DOWNWARD); zoo_table.open = rude_open; zoo_table.map = rude_map)
