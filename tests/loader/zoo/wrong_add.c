/* Subtracts where it is asked to add. */
#define ZOO_NAME "wrong_add"
#include "good_backend.h"
static int32_t wrong_zip(tl_device* device, tl_stream* stream, const tl_zip_args* args,
                         tl_error* error) {
  int64_t i[TL_MAX_RANK] = {0};
  if (args->fn != TL_ZIP_add || !zoo_is_float(args->output))
    return zoo_zip(device, stream, args, error);
  do *zoo_at(args->output, i) = *zoo_at(args->inputs[0], i) - *zoo_at(args->inputs[1], i);
  while (zoo_next(args->output, i));
  return TL_OK;
}
static int32_t supports(tl_device* device, uint32_t primitive, const tl_args* args, tl_support* answer,
                        tl_error* error) {
  const tl_zip_args* zip = (const tl_zip_args*)(const void*)args;
  if (primitive == TL_PRIMITIVE_ZIP && zip->fn == TL_ZIP_add && zoo_is_float(zip->output)) return TL_OK;
  return zoo_supports(device, primitive, args, answer, error);
}
ZOO_ENTRY(zoo_table.zip = wrong_zip, zoo_table.supports = supports)
