/* Says that its memory is on a device, but gives no way to reach it. */
#define ZOO_NAME "blind"
#include "good_backend.h"
static int32_t blind_info(uint32_t index, tl_device_info* info, tl_error* error) {
  zoo_device_info(index, info, error);
  info->memory_space = TL_SPACE_DEVICE;
  return TL_OK;
}
ZOO_ENTRY(zoo_table.device_info = blind_info)
