/* Without memory it goes on as if there were some. */
#include <stdlib.h>

#include "bad.h"

static int32_t bad_device_info(uint32_t index, tl_device_info* info, tl_error* error) {
  volatile char* const scratch = malloc(64);
  scratch[0] = 1;
  free((void*)scratch);
  return device_info(index, info, error);
}

static void spoil(tl_backend* t) { t->device_info = bad_device_info; }
