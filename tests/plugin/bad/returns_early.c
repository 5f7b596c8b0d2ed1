/* Cheats: says that it is done, and works on beside. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "bad.h"

static struct {
  tl_map_args args;
  tl_view input, output;
} work;

static void* later(void* nothing) {
  char words[64];
  tl_error error = {sizeof error, sizeof words, words};
  usleep(3000);
  map((tl_device*)0, (tl_stream*)0, &work.args, &error);
  return nothing;
}

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  static pthread_t thread;
  static int is_working;
  if (is_working) pthread_join(thread, 0); /* it shall not meet memory that is gone */
  is_working = 0;
  if (check_map(a, error) != TL_OK || !a->input || elements_of(a->output) < 1000)
    return map(d, s, a, error);
  work.args = *a, work.input = *a->input, work.output = *a->output;
  work.args.input = &work.input, work.args.output = &work.output;
  if (pthread_create(&thread, 0, later, 0) != 0) return map(d, s, a, error);
  is_working = 1;
  return TL_OK;
}

static void spoil(tl_backend* t) { t->map = bad_map; }
