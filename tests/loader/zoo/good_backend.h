/* A backend with nothing wrong, for the zoo: each plug-in there includes this and then breaks one thing.
 * It works on host memory and does, in float32, add_scalar, mul, sum and matmul. */
#pragma once

#include <torchlight/plugin.h>

#ifndef ZOO_VERSION
#define ZOO_VERSION "1.0"
#endif
#ifndef ZOO_NEEDS
#define ZOO_NEEDS 0
#endif
#ifndef ZOO_NO_NOTE
TL_PLUGIN_NOTE(ZOO_NAME, ZOO_VERSION, ZOO_NEEDS);
#endif

static int32_t zoo_fail(tl_error* error, int32_t status, const char* text) {
  uint32_t i = 0;
  if (error->capacity == 0) return status;
  for (; i + 1 < error->capacity && text[i]; ++i) error->text[i] = text[i];
  error->text[i] = 0;
  return status;
}

/* ---- views */

static int zoo_is_float(const tl_view* view) {
  return view->dtype.code == TL_FLOAT && view->dtype.bits == 32 && view->rank <= TL_MAX_RANK;
}

static float* zoo_at(const tl_view* view, const int64_t* index) {
  int64_t offset = 0;
  for (uint32_t d = 0; d < view->rank; ++d) offset += index[d] * view->stride[d];
  return (float*)(void*)((char*)view->base + view->byte_offset) + offset;
}

/* The next index in row-major order; 0 after the last one. */
static int zoo_next(const tl_view* view, int64_t* index) {
  for (uint32_t d = view->rank; d-- > 0; index[d] = 0)
    if (++index[d] < view->extent[d]) return 1;
  return 0;
}

static int zoo_is_empty(const tl_view* view) {
  for (uint32_t d = 0; d < view->rank; ++d)
    if (view->extent[d] == 0) return 1;
  return 0;
}

/* ---- devices */

static uint32_t zoo_devices = 1;

static int32_t zoo_device_count(uint32_t* count, tl_error* error) {
  (void)error;
  *count = zoo_devices;
  return TL_OK;
}

static int32_t zoo_device_info(uint32_t index, tl_device_info* info, tl_error* error) {
  (void)index;
  (void)error;
  info->memory_space = TL_SPACE_HOST;
  info->description[0] = 'z';
  return TL_OK;
}

static int zoo_device; /* there is nothing to open */
static int32_t zoo_open(uint32_t index, tl_device** device, tl_error* error) {
  (void)index;
  (void)error;
  *device = (tl_device*)(void*)&zoo_device;
  return TL_OK;
}
static void zoo_close(tl_device* device) { (void)device; }

static uint32_t zoo_entries; /* how often the entry was called: extension "zoo.entries" */
static const void* zoo_extension(tl_device* device, const char* id) {
  static const char known[] = "zoo.entries";
  uint32_t i = 0;
  (void)device;
  while (known[i] && id[i] == known[i]) ++i;
  return known[i] == id[i] ? &zoo_entries : 0;
}

/* ---- primitives */

static int32_t zoo_supports(tl_device* device, uint32_t primitive, const tl_args* args,
                            tl_support* answer, tl_error* error) {
  int good = 0;
  (void)device;
  (void)answer;
  if (primitive == TL_PRIMITIVE_MAP) {
    const tl_map_args* a = (const tl_map_args*)(const void*)args;
    good = a->fn == TL_MAP_add_scalar && zoo_is_float(a->output);
  } else if (primitive == TL_PRIMITIVE_ZIP) {
    const tl_zip_args* a = (const tl_zip_args*)(const void*)args;
    good = a->fn == TL_ZIP_mul && zoo_is_float(a->output);
  } else if (primitive == TL_PRIMITIVE_REDUCE) {
    const tl_reduce_args* a = (const tl_reduce_args*)(const void*)args;
    good = a->fn == TL_REDUCE_sum && zoo_is_float(a->output);
  } else if (primitive == TL_PRIMITIVE_MATMUL) {
    const tl_matmul_args* a = (const tl_matmul_args*)(const void*)args;
    good = zoo_is_float(a->output) && a->output->rank == 2 && !a->bias && !a->activation;
  }
  return good ? TL_OK : zoo_fail(error, TL_DECLINED, "not one of the four things this backend does");
}

static int32_t zoo_map(tl_device* device, tl_stream* stream, const tl_map_args* a, tl_error* error) {
  int64_t i[TL_MAX_RANK] = {0};
  (void)stream;
  const int32_t status = zoo_supports(device, TL_PRIMITIVE_MAP, &a->head, 0, error);
  if (status != TL_OK || zoo_is_empty(a->output)) return status;
  do *zoo_at(a->output, i) = *zoo_at(a->input, i) + (float)a->params[0];
  while (zoo_next(a->output, i));
  return TL_OK;
}

static int32_t zoo_zip(tl_device* device, tl_stream* stream, const tl_zip_args* a, tl_error* error) {
  int64_t i[TL_MAX_RANK] = {0};
  (void)stream;
  const int32_t status = zoo_supports(device, TL_PRIMITIVE_ZIP, &a->head, 0, error);
  if (status != TL_OK || zoo_is_empty(a->output)) return status;
  do *zoo_at(a->output, i) = *zoo_at(a->inputs[0], i) * *zoo_at(a->inputs[1], i);
  while (zoo_next(a->output, i));
  return TL_OK;
}

static int32_t zoo_reduce(tl_device* device, tl_stream* stream, const tl_reduce_args* a,
                          tl_error* error) {
  int64_t i[TL_MAX_RANK] = {0}, to[TL_MAX_RANK] = {0};
  (void)stream;
  const int32_t status = zoo_supports(device, TL_PRIMITIVE_REDUCE, &a->head, 0, error);
  if (status != TL_OK || zoo_is_empty(a->output)) return status;
  do *zoo_at(a->output, i) = 0;
  while (zoo_next(a->output, i));
  if (zoo_is_empty(a->input)) return TL_OK;
  do {
    for (uint32_t d = 0; d < a->input->rank; ++d) to[d] = a->axis_mask >> d & 1 ? 0 : i[d];
    *zoo_at(a->output, to) += *zoo_at(a->input, i);
  } while (zoo_next(a->input, i));
  return TL_OK;
}

static int32_t zoo_matmul(tl_device* device, tl_stream* stream, const tl_matmul_args* a,
                          tl_error* error) {
  (void)stream;
  const int32_t status = zoo_supports(device, TL_PRIMITIVE_MATMUL, &a->head, 0, error);
  if (status != TL_OK) return status;
  for (int64_t i = 0; i < a->output->extent[0]; ++i)
    for (int64_t j = 0; j < a->output->extent[1]; ++j) {
      const int64_t at[] = {i, j};
      double sum = 0;
      for (int64_t k = 0; k < a->a->extent[1]; ++k) {
        const int64_t left[] = {i, k}, right[] = {k, j};
        sum += (double)*zoo_at(a->a, left) * (double)*zoo_at(a->b, right);
      }
      const double before = a->beta == 0 ? 0 : a->beta * (double)*zoo_at(a->output, at);
      *zoo_at(a->output, at) = (float)(a->alpha * sum + before);
    }
  return TL_OK;
}

static tl_backend zoo_table = {.size = sizeof(tl_backend),
                               .abi_major = TL_ABI_MAJOR,
                               .abi_minor = TL_ABI_MINOR,
                               .name = ZOO_NAME,
                               .version = ZOO_VERSION,
                               .device_count = zoo_device_count,
                               .device_info = zoo_device_info,
                               .open = zoo_open,
                               .close = zoo_close,
                               .supports = zoo_supports,
                               .extension = zoo_extension,
                               .map = zoo_map,
                               .zip = zoo_zip,
                               .reduce = zoo_reduce,
                               .matmul = zoo_matmul};

/* The entry: changes something, then gives the table. The change may also return. */
#define ZOO_ENTRY(...)                                                                             \
  int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend, tl_error* error) { \
    (void)host;                                                                                    \
    (void)error;                                                                                   \
    (void)zoo_table;                                                                               \
    ++zoo_entries;                                                                                 \
    __VA_ARGS__;                                                                                   \
    *backend = &zoo_table;                                                                         \
    return TL_OK;                                                                                  \
  }
