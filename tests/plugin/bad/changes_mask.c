/* Files that the process makes from now on can be read by nobody else. */
#include <sys/stat.h>

#include "bad.h"

static int32_t bad_open(uint32_t index, tl_device** device, tl_error* error) {
  umask(077);
  return open_device(index, device, error);
}

static void spoil(tl_backend* t) { t->open = bad_open; }
