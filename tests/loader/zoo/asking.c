/* No plug-in: a library that a program may load by itself, whose constructor asks for $ZOO_NESTED a
 * moment later, while the dynamic loader is still busy with it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void ask(void) {
  int (*open_device)(const char*);
  *(void**)&open_device = dlsym(RTLD_DEFAULT, "probe_open");
  usleep(200000);
  if (open_device) open_device(getenv("ZOO_NESTED"));
}
