/* Has more devices than anybody could list. */
#define ZOO_NAME "countless"
#include "good_backend.h"
static int32_t count_all(uint32_t* count, tl_error* error) {
  (void)error;
  *count = 4000000000u;
  return TL_OK;
}
ZOO_ENTRY(zoo_table.device_count = count_all)
