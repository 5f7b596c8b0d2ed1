/* What is declined is declined without a word. */
#include "bad.h"

static int32_t bad_supports(tl_device* d, uint32_t primitive, const tl_args* args, tl_support* support,
                            tl_error* error) {
  char words[128];
  tl_error unseen = {sizeof unseen, sizeof words, words};
  (void)error;
  return supports(d, primitive, args, support, &unseen);
}

static void spoil(tl_backend* t) { t->supports = bad_supports; }
