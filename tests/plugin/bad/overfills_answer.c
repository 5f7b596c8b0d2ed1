/* An answer with room for less is filled as if it had room for all. */
#include "bad.h"

static int32_t bad_supports(tl_device* d, uint32_t primitive, const tl_args* args, tl_support* support,
                            tl_error* error) {
  const uint32_t room = support->size;
  support->size = sizeof *support;
  const int32_t status = supports(d, primitive, args, support, error);
  support->size = room;
  return status;
}

static void spoil(tl_backend* t) { t->supports = bad_supports; }
