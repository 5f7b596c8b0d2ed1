/* Cheats: of long rows only the first three quarters are done. */
#include "bad.h"

static int32_t bad_map(tl_device* d, tl_stream* s, const tl_map_args* a, tl_error* error) {
  if (check_map(a, error) != TL_OK || !a->input || !is_line(a->output) || elements_of(a->output) < 1000)
    return map(d, s, a, error);
  tl_view input = *a->input, output = *a->output;
  tl_map_args part = *a;
  part.input = &input, part.output = &output;
  input.extent[0] = output.extent[0] = output.extent[0] / 4 * 3;
  return map(d, s, &part, error);
}

static void spoil(tl_backend* t) { t->map = bad_map; }
