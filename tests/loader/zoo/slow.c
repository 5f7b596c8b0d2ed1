/* Takes its time in the entry, in counting its devices and in opening one. */
#define ZOO_NAME "slow"
#include <unistd.h>

#include "good_backend.h"
static int32_t slow_open(uint32_t index, tl_device** device, tl_error* error) {
  usleep(30000);
  return zoo_open(index, device, error);
}
ZOO_ENTRY(usleep(30000); zoo_table.open = slow_open)
