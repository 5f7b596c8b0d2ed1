/* Has a thread of its own beside the host's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "bad.h"

static void* wait_for_ever(void* nothing) {
  for (;;) pause();
  return nothing;
}

static int32_t bad_open(uint32_t index, tl_device** device, tl_error* error) {
  pthread_t thread;
  if (pthread_create(&thread, 0, wait_for_ever, 0) == 0) pthread_detach(thread);
  return open_device(index, device, error);
}

static void spoil(tl_backend* t) { t->open = bad_open; }
