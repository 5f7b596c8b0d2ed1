/* Has a device that can't be opened the first time. */
#define ZOO_NAME "cannot_open"
#include "good_backend.h"
static int32_t busy_once(uint32_t index, tl_device** device, tl_error* error) {
  static int tries;
  if (tries++ == 0) return zoo_fail(error, TL_E_DEVICE, "somebody else has it");
  return zoo_open(index, device, error);
}
ZOO_ENTRY(zoo_table.open = busy_once)
