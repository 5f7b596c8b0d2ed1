/* A transposed input is read as if it weren't. */
#include "bad.h"

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  const int32_t status = check_map(a, error);
  if (status != TL_OK || !a->input || a->input->rank != 2) return map(d, s, a, error);
  tl_view straight = *a->input;
  straight.size = sizeof straight;
  if (straight.stride[0] == 1 && straight.stride[1] == straight.extent[0]) {
    straight.stride[0] = straight.extent[1];
    straight.stride[1] = 1;
  }
  tl_map_args args = *a;
  args.head.size = sizeof args;
  args.input = &straight;
  return map(d, s, &args, error);
}

static void spoil(tl_backend* t) { t->map = bad_map; }
