/* Its constructor asks the program for the device $ZOO_NESTED. */
#define _GNU_SOURCE
#define ZOO_NAME "nested"
#include <dlfcn.h>
#include <stdlib.h>

#include "good_backend.h"
__attribute__((constructor)) static void ask(void) {
  const char* name = getenv("ZOO_NESTED");
  int (*open_device)(const char*);
  *(void**)&open_device = dlsym(RTLD_DEFAULT, "probe_open");
  if (name && open_device) open_device(name);
}
ZOO_ENTRY()
