/* Trusts that whatever it is called for was asked about. */
#define ZOO_NAME "careless"
#include "good_backend.h"
static int32_t add_anything(tl_device* device, tl_stream* stream, const tl_map_args* args,
                            tl_error* error) {
  tl_map_args as_known = *args;
  as_known.fn = TL_MAP_add_scalar;
  return zoo_map(device, stream, &as_known, error);
}
ZOO_ENTRY(zoo_table.map = add_anything)
