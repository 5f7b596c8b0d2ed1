/* Can't say how many devices there are. */
#define ZOO_NAME "cannot_count"
#include "good_backend.h"
static int32_t no_count(uint32_t* count, tl_error* error) {
  (void)count;
  return zoo_fail(error, TL_E_DEVICE, "no driver");
}
ZOO_ENTRY(zoo_table.device_count = no_count)
