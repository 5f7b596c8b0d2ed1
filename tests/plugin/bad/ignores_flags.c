/* Flags of a later minor are taken for nothing. */
#include "bad.h"

static int32_t bad_zip(tl_device* d, tl_stream* s, const tl_zip_args* a, tl_error* error) {
  tl_zip_args args = *a;
  args.head.flags = 0;
  args.head.size = sizeof args;
  return zip(d, s, &args, error);
}

static int32_t bad_supports(tl_device* d, uint32_t primitive, const tl_args* args, tl_support* support,
                            tl_error* error) {
  tl_zip_args plain;
  if (primitive != TL_PRIMITIVE_ZIP) return supports(d, primitive, args, support, error);
  memcpy(&plain, args, sizeof plain);
  plain.head.flags = 0;
  plain.head.size = sizeof plain;
  return supports(d, primitive, &plain.head, support, error);
}

static void spoil(tl_backend* t) {
  t->zip = bad_zip;
  t->supports = bad_supports;
}
