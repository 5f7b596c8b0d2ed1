/* A Torchlight backend in one file: host memory, plain loops, C11. Copy it, rename it, and replace the
 * loops by what your hardware does. It shows everything that a backend must do and little it may do:
 *
 *   say what it is     TL_PLUGIN_NOTE, the table, the one exported function at the end
 *   know its limits    check_… decides for `supports` and for the call alike, so they never disagree
 *   respect the views  any rank up to 8, any strides: 0 repeats an element, negative ones run backwards
 *
 * What it declines, the core composes from what it offers or gives to another backend. Build it with
 * the CMakeLists.txt beside it, and see docs/adding-a-plugin.md. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <torchlight/plugin.h>

TL_PLUGIN_NOTE("my_backend", "0.1.0", 0);

/* ---- saying no: TL_DECLINED to what is not offered, TL_E_ARGUMENT to what makes no sense --------- */

static int32_t refuse(int32_t status, tl_error* error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  if (error->capacity > 0) vsnprintf(error->text, error->capacity, format, values);
  va_end(values);
  return status;
}

/* A caller from the future may say more than is known here, as long as it is all zeros. `known` is the size
 * in the minor that this file understands: sizeof would grow with the header, and refuse older cores. */
static int32_t check_size(const void* memory, uint32_t size, uint32_t known, tl_error* error) {
  const char* bytes = memory;
  if (size < known) return refuse(TL_E_ARGUMENT, error, "a struct of %u bytes is too short", size);
  for (uint32_t i = known; i < size; ++i) {
    if (bytes[i] != 0) return refuse(TL_DECLINED, error, "my_backend is older than this call");
  }
  return TL_OK;
}

static int32_t check_head(const tl_args* head, uint32_t known, tl_error* error) {
  if (head->flags != 0) return refuse(TL_DECLINED, error, "flags 0x%x are unknown", head->flags);
  return check_size(head, head->size, known, error);
}

enum { BOOL = TL_BOOL << 8 | 8, FLOAT32 = TL_FLOAT << 8 | 32, FLOAT64 = TL_FLOAT << 8 | 64 };

static int type_of(const tl_view* view) { return view->dtype.code << 8 | view->dtype.bits; }

static int32_t check_view(const tl_view* view, tl_error* error) {
  if (!view) return refuse(TL_E_ARGUMENT, error, "a view is missing");
  const int32_t status = check_size(view, view->size, TL_VIEW_SIZE_0, error);
  if (status != TL_OK) return status;
  if (view->flags & ~(uint32_t)TL_VIEW_ALIGNED) return refuse(TL_DECLINED, error, "view flags unknown");
  if (view->rank > TL_MAX_RANK) return refuse(TL_E_ARGUMENT, error, "rank %u is above 8", view->rank);
  const int type = view->dtype.lanes == 1 ? type_of(view) : 0;
  if (type == FLOAT32 || type == FLOAT64 || type == BOOL) return TL_OK;
  return refuse(TL_DECLINED, error, "my_backend has no such element type");
}

/* What is known here of a view, which may be longer or shorter. */
static tl_view copy_of(const tl_view* view) {
  tl_view copy = {0};
  memcpy(&copy, view, TL_VIEW_SIZE_0);
  copy.size = TL_VIEW_SIZE_0;
  return copy;
}

/* An input of the output's extents. Only floats go in; they come out as they are, or as a bool. */
static int32_t check_input(const tl_view* input, const tl_view* output, tl_error* error) {
  const int32_t status = check_view(input, error);
  if (status != TL_OK) return status;
  if (type_of(input) == BOOL) return refuse(TL_DECLINED, error, "my_backend computes in floats alone");
  if (input->rank != output->rank || memcmp(input->extent, output->extent, 8 * input->rank) != 0) {
    return refuse(TL_E_ARGUMENT, error, "the extents of an input and the output differ");
  }
  return TL_OK;
}

static int32_t check_type(const tl_view* view, int type, tl_error* error) {
  return type_of(view) == type ? TL_OK : refuse(TL_DECLINED, error, "not for these element types");
}

/* ---- elements of views ---------------------------------------------------------------------- */

/* Goes through all positions of a shape in row-major order. */
typedef struct walk {
  uint32_t rank;
  int64_t extent[TL_MAX_RANK];
  int64_t index[TL_MAX_RANK];
} walk;

static int begin(walk* w, const tl_view* shape) { /* 0 if there is no position at all */
  memset(w, 0, sizeof *w);
  w->rank = shape->rank;
  for (uint32_t k = 0; k < w->rank; ++k) {
    w->extent[k] = shape->extent[k];
    if (w->extent[k] == 0) return 0;
  }
  return 1;
}

static int next(walk* w) { /* 0 after the last one */
  for (uint32_t k = w->rank; k-- > 0;) {
    if (++w->index[k] < w->extent[k]) return 1;
    w->index[k] = 0;
  }
  return 0;
}

/* Bytes from the view's first element to another. */
static int64_t offset_of(const tl_view* view, const int64_t* index) {
  int64_t elements = 0;
  for (uint32_t k = 0; k < view->rank; ++k) elements += index[k] * view->stride[k];
  return elements * (view->dtype.bits / 8);
}

static void* at(const tl_view* view, const int64_t* index) {
  return (char*)view->base + view->byte_offset + offset_of(view, index);
}

/* Everything is computed in double and rounded once: the sum, difference, product, quotient and square
 * root of two floats come out as if they were computed in float. */
static double get(const tl_view* view, const int64_t* index) {
  const void* p = at(view, index);
  return type_of(view) == FLOAT32 ? (double)*(const float*)p : *(const double*)p;
}

static void put(const tl_view* view, const int64_t* index, double x) {
  void* p = at(view, index);
  switch (type_of(view)) {
    case BOOL: *(uint8_t*)p = x != 0; break;
    case FLOAT32: *(float*)p = (float)x; break;
    case FLOAT64: *(double*)p = x; break;
  }
}

/* ---- map ------------------------------------------------------------------------------------- */

/* 0 for a function that is not offered. */
static int map_one(uint32_t fn, double x, double a, double* y) {
  switch (fn) {
    case TL_MAP_copy: return *y = x, 1;
    case TL_MAP_fill: return *y = a, 1;
    case TL_MAP_neg: return *y = -x, 1;
    case TL_MAP_abs: return *y = fabs(x), 1;
    case TL_MAP_sqrt: return *y = sqrt(x), 1;
    case TL_MAP_exp: return *y = exp(x), 1;
    case TL_MAP_log: return *y = log(x), 1;
    case TL_MAP_tanh: return *y = tanh(x), 1;
    case TL_MAP_sigmoid: return *y = 1 / (1 + exp(-x)), 1;
    case TL_MAP_relu: return *y = x < 0 ? 0 : x, 1; /* keeps NaN */
    case TL_MAP_add_scalar: return *y = x + a, 1;
    case TL_MAP_mul_scalar: return *y = x * a, 1;
    default: return 0;
  }
}

static int32_t check_map(const tl_map_args* a, tl_error* error) {
  double y;
  int32_t status = check_head(&a->head, TL_MAP_ARGS_SIZE_0, error);
  if (status == TL_OK) status = check_view(a->output, error);
  if (status != TL_OK) return status;
  if (!map_one(a->fn, 0, 0, &y)) return refuse(TL_DECLINED, error, "no map function %u", a->fn);
  const int scalar = a->fn == TL_MAP_fill || a->fn == TL_MAP_add_scalar || a->fn == TL_MAP_mul_scalar;
  if (a->param_count != (scalar ? 1 : 0)) return refuse(TL_E_ARGUMENT, error, "wrong parameters");
  if (a->fn == TL_MAP_fill) return a->input ? refuse(TL_E_ARGUMENT, error, "fill has no input") : TL_OK;
  status = check_input(a->input, a->output, error);
  if (status != TL_OK || a->fn == TL_MAP_copy) return status; /* copy converts to any type */
  return check_type(a->output, type_of(a->input), error);
}

static int32_t map(tl_device* device, tl_stream* stream, const tl_map_args* a, tl_error* error) {
  walk w;
  const int32_t status = check_map(a, error);
  (void)device, (void)stream;
  if (status != TL_OK || !begin(&w, a->output)) return status;
  double y = 0, p = a->param_count ? a->params[0] : 0;
  if (a->input && type_of(a->input) == FLOAT32) p = (float)p; /* parameters have the input's type */
  do {
    map_one(a->fn, a->input ? get(a->input, w.index) : 0, p, &y);
    put(a->output, w.index, y);
  } while (next(&w));
  return TL_OK;
}

/* ---- zip ------------------------------------------------------------------------------------- */

static int zip_one(uint32_t fn, double x, double y, double* z) {
  switch (fn) {
    case TL_ZIP_add: return *z = x + y, 1;
    case TL_ZIP_sub: return *z = x - y, 1;
    case TL_ZIP_mul: return *z = x * y, 1;
    case TL_ZIP_div: return *z = x / y, 1;
    case TL_ZIP_maximum: return *z = isnan(x) || x > y ? x : y, 1; /* NaN if either is */
    case TL_ZIP_minimum: return *z = isnan(x) || x < y ? x : y, 1;
    case TL_ZIP_eq: return *z = x == y, 1;
    case TL_ZIP_lt: return *z = x < y, 1;
    default: return 0;
  }
}

static int32_t check_zip(const tl_zip_args* a, tl_error* error) {
  double z;
  int32_t status = check_head(&a->head, TL_ZIP_ARGS_SIZE_0, error);
  if (status == TL_OK && a->reserved) status = refuse(TL_DECLINED, error, "my_backend is too old");
  if (status == TL_OK) status = check_view(a->output, error);
  if (status != TL_OK) return status;
  if (!zip_one(a->fn, 0, 0, &z)) return refuse(TL_DECLINED, error, "no zip function %u", a->fn);
  if (a->input_count != 2 || a->param_count) return refuse(TL_E_ARGUMENT, error, "two inputs needed");
  for (int i = 0; i < 2 && status == TL_OK; ++i) status = check_input(a->inputs[i], a->output, error);
  if (status == TL_OK) status = check_type(a->inputs[1], type_of(a->inputs[0]), error);
  if (status != TL_OK) return status;
  const int compares = a->fn == TL_ZIP_eq || a->fn == TL_ZIP_lt;
  return check_type(a->output, compares ? BOOL : type_of(a->inputs[0]), error);
}

static int32_t zip(tl_device* device, tl_stream* stream, const tl_zip_args* a, tl_error* error) {
  walk w;
  const int32_t status = check_zip(a, error);
  (void)device, (void)stream;
  if (status != TL_OK || !begin(&w, a->output)) return status;
  do {
    double z = 0;
    zip_one(a->fn, get(a->inputs[0], w.index), get(a->inputs[1], w.index), &z);
    put(a->output, w.index, z);
  } while (next(&w));
  return TL_OK;
}

/* ---- reduce ---------------------------------------------------------------------------------- */

/* The input with extent 1 along the axes that are reduced, or along those that are not. */
static tl_view part_of(const tl_reduce_args* a, uint32_t reduced) {
  tl_view part = copy_of(a->input);
  for (uint32_t k = 0; k < part.rank; ++k) {
    if ((a->axis_mask >> k & 1) == reduced) part.extent[k] = 1;
  }
  return part;
}

static int32_t check_reduce(const tl_reduce_args* a, tl_error* error) {
  int32_t status = check_head(&a->head, TL_REDUCE_ARGS_SIZE_0, error);
  if (status == TL_OK) status = check_view(a->output, error);
  if (status == TL_OK) status = check_view(a->input, error);
  if (status != TL_OK) return status;
  if (a->fn != TL_REDUCE_sum && a->fn != TL_REDUCE_max && a->fn != TL_REDUCE_min) {
    return refuse(TL_DECLINED, error, "my_backend has no reduction %u", a->fn);
  }
  if (a->axis_mask >> a->input->rank) return refuse(TL_E_ARGUMENT, error, "there is no such axis");
  const tl_view kept = part_of(a, 1);
  status = check_input(&kept, a->output, error);
  return status == TL_OK ? check_type(a->output, type_of(a->input), error) : status;
}

/* A sum that remembers what rounding took away, so that its error doesn't grow with its length. */
static double sum_of(const tl_view* group) {
  walk w;
  double total = 0, lost = 0;
  if (!begin(&w, group)) return 0;
  do {
    const double x = get(group, w.index), t = total + x;
    lost += fabs(total) >= fabs(x) ? (total - t) + x : (x - t) + total;
    total = t;
  } while (next(&w));
  return isfinite(total) ? total + lost : total;
}

static double best_of(const tl_view* group, uint32_t zip_fn, double best) {
  walk w;
  if (!begin(&w, group)) return best;
  do zip_one(zip_fn, get(group, w.index), best, &best);
  while (next(&w));
  return best;
}

static int32_t reduce(tl_device* device, tl_stream* stream, const tl_reduce_args* a, tl_error* error) {
  walk w;
  const int32_t status = check_reduce(a, error);
  (void)device, (void)stream;
  if (status != TL_OK || !begin(&w, a->output)) return status;
  do {
    tl_view group =
        part_of(a, 0); /* what falls into this element of the output: a view like any other */
    /* A number, not a pointer: where there is nothing to add up there may be no memory, either. */
    group.byte_offset += (uint64_t)offset_of(a->input, w.index);
    switch (a->fn) {
      case TL_REDUCE_sum: put(a->output, w.index, sum_of(&group)); break;
      case TL_REDUCE_max: put(a->output, w.index, best_of(&group, TL_ZIP_maximum, -INFINITY)); break;
      case TL_REDUCE_min: put(a->output, w.index, best_of(&group, TL_ZIP_minimum, INFINITY)); break;
    }
  } while (next(&w));
  return TL_OK;
}

/* ---- matmul ---------------------------------------------------------------------------------- */

/* (…, m, k) (…, k, n) → (…, m, n). */
static int32_t check_matmul(const tl_matmul_args* a, tl_error* error) {
  int32_t status = check_head(&a->head, TL_MATMUL_ARGS_SIZE_0, error);
  if (status == TL_OK && (a->activation != TL_FN_NONE || a->reserved)) {
    status = refuse(TL_DECLINED, error, "my_backend's matmul has no activation");
  }
  if (status == TL_OK) status = check_view(a->output, error);
  if (status == TL_OK) status = check_view(a->a, error);
  if (status == TL_OK) status = check_view(a->b, error);
  if (status != TL_OK) return status;
  const uint32_t rank = a->output->rank;
  if (rank < 2 || a->a->rank != rank || a->b->rank != rank) {
    return refuse(TL_E_ARGUMENT, error, "the ranks don't fit");
  }
  tl_view left = copy_of(a->a), right = copy_of(a->b); /* with the output's extents where k stood */
  left.extent[rank - 1] = a->output->extent[rank - 1];
  right.extent[rank - 2] = a->output->extent[rank - 2];
  if (a->a->extent[rank - 1] != a->b->extent[rank - 2])
    return refuse(TL_E_ARGUMENT, error, "k differs");
  const tl_view* inputs[] = {&left, &right, a->bias};
  for (int i = 0; i < (a->bias ? 3 : 2) && status == TL_OK; ++i) {
    status = check_input(inputs[i], a->output, error);
    if (status == TL_OK) status = check_type(inputs[i], type_of(a->output), error);
  }
  return status;
}

static int32_t matmul(tl_device* device, tl_stream* stream, const tl_matmul_args* a, tl_error* error) {
  walk w;
  const int32_t status = check_matmul(a, error);
  (void)device, (void)stream;
  if (status != TL_OK || !begin(&w, a->output)) return status;
  do {
    int64_t left[TL_MAX_RANK], right[TL_MAX_RANK];
    memcpy(left, w.index, sizeof left);
    memcpy(right, w.index, sizeof right);
    double sum = 0;
    for (int64_t k = 0; k < a->a->extent[w.rank - 1]; ++k) {
      left[w.rank - 1] = right[w.rank - 2] = k;
      sum += get(a->a, left) * get(a->b, right);
    }
    sum *= a->alpha;
    if (a->beta != 0) sum += a->beta * get(a->output, w.index); /* with 0 it may hold anything */
    put(a->output, w.index, a->bias ? sum + get(a->bias, w.index) : sum);
  } while (next(&w));
  return TL_OK;
}

/* ---- the device ------------------------------------------------------------------------------ */

struct tl_device { /* what a device of yours has to remember; here it is nothing */
  int unused;
};
static struct tl_device the_device;

static int32_t device_count(uint32_t* count, tl_error* error) {
  (void)error;
  *count = 1; /* 0 where the hardware is missing; that is no error */
  return TL_OK;
}

/* A caller of another age may have room for less or more than is known here; its size is its own. */
static void answer(void* theirs, uint32_t room, const void* ours, uint32_t size) {
  const uint32_t bytes = room < size ? room : size;
  if (bytes > 4) memcpy((char*)theirs + 4, (const char*)ours + 4, bytes - 4);
}

static int32_t device_info(uint32_t index, tl_device_info* info, tl_error* error) {
  const tl_device_info ours = {.size = sizeof ours,
                               .memory_space = TL_SPACE_HOST,
                               .description = "plain C loops",
                               .instruction_set = "none"};
  if (index != 0) return refuse(TL_E_ARGUMENT, error, "my_backend has one device");
  answer(info, info->size, &ours, sizeof ours);
  return TL_OK;
}

static int32_t open_device(uint32_t index, tl_device** device, tl_error* error) {
  if (index != 0) return refuse(TL_E_ARGUMENT, error, "my_backend has one device");
  *device = &the_device;
  return TL_OK;
}

static void close_device(tl_device* device) { (void)device; }

static int32_t supports(tl_device* device, uint32_t primitive, const tl_args* args, tl_support* support,
                        tl_error* error) {
  tl_support ours = {.size = sizeof ours, .traits = TL_TRAIT_REPEATABLE | TL_TRAIT_SLOW};
  int32_t status = TL_DECLINED;
  (void)device;
  switch (primitive) {
    case TL_PRIMITIVE_MAP: status = check_map((const tl_map_args*)args, error); break;
    case TL_PRIMITIVE_ZIP: status = check_zip((const tl_zip_args*)args, error); break;
    case TL_PRIMITIVE_REDUCE: status = check_reduce((const tl_reduce_args*)args, error); break;
    case TL_PRIMITIVE_MATMUL: status = check_matmul((const tl_matmul_args*)args, error); break;
    default: refuse(status, error, "my_backend has no primitive %u", primitive);
  }
  if (primitive <= TL_PRIMITIVE_ZIP) ours.traits |= TL_TRAIT_IN_PLACE; /* read first, then written */
  if (status == TL_OK) answer(support, support->size, &ours, sizeof ours);
  return status;
}

/* ---- the table and the one exported function ---------------------------------------------------- */

/* The core owns the memory of HOST devices, and they work at once: no memory and stream functions. */
static const tl_backend table = {
    .size = sizeof table,
    .abi_major = TL_ABI_MAJOR,
    .abi_minor = TL_ABI_MINOR,
    .name = "my_backend",
    .version = "0.1.0",
    .device_count = device_count,
    .device_info = device_info,
    .open = open_device,
    .close = close_device,
    .supports = supports,
    .map = map,
    .zip = zip,
    .reduce = reduce,
    .matmul = matmul,
};

int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend, tl_error* error) {
  (void)host, (void)error; /* the host has a log, settings and a thread pool: keep it to use them */
  *backend = &table;
  return TL_OK;
}
