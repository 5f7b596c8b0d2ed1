#include <cmath>

#include "check.h"
#include "check_common.h"
#include "errors.h"

namespace plugins {
namespace {

int32_t decline_dtype(tl_dtype dtype, const char* what, tl_error* error) noexcept {
  return fail(TL_DECLINED, error, "%s of %s is not offered", what, dtype_name(dtype));
}

bool is_number(tl_dtype dtype) noexcept {
  const uint32_t key = dtype_key(dtype);
  return key == key_float32 || key == key_float64 || key == key_int64;
}

bool is_known(tl_dtype dtype) noexcept {
  const uint32_t key = dtype_key(dtype);
  return is_number(dtype) || key == key_bool || key == key_uint8 || key == key_int32 ||
         key == key_float16 || key == key_bfloat16;
}

/// `walked` has the index's extents; `chosen` may differ from it on the axis.
int32_t check_index(const tl_index_args& args, const tl_view& walked, const tl_view& chosen,
                    tl_error* error) noexcept {
  if (dtype_key(args.index->dtype) != key_int64)
    return fail(TL_DECLINED, error, "an index of %s is not offered, only int64",
                dtype_name(args.index->dtype));
  if (dtype_key(args.source->dtype) != dtype_key(args.output->dtype))
    return fail(TL_DECLINED, error, "source is %s, output %s", dtype_name(args.source->dtype),
                dtype_name(args.output->dtype));
  if (args.axis >= walked.rank || chosen.rank != walked.rank)
    return fail(TL_E_ARGUMENT, error, "axis %u of ranks %u and %u", args.axis, walked.rank,
                chosen.rank);
  if (int32_t status = check_extents(*args.index, walked, "index", error)) return status;
  for (uint32_t d = 0; d < walked.rank; ++d)
    if (d != args.axis && chosen.extent[d] != walked.extent[d])
      return fail(TL_E_ARGUMENT, error, "source and output differ on axis %u, which isn't selected", d);
  if (args.reserved != 0) return fail(TL_DECLINED, error, "the reserved field isn't 0");
  return TL_OK;
}

int32_t check_index_views(const tl_index_args& args, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_INDEX_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_output(args.output, error)) return status;
  if (int32_t status = check_view(args.source, "source", error)) return status;
  return check_view(args.index, "index", error);
}

bool is_contiguous(const tl_view& view) noexcept {
  int64_t step = 1;
  for (int64_t d = int64_t{view.rank} - 1; d >= 0; --d) {
    if (view.extent[d] == 0) return true;
    if (view.extent[d] != 1 && view.stride[d] != step) return false;
    step *= view.extent[d];
  }
  return true;
}

bool is_int64(double x) noexcept { return std::abs(x) < 0x1p63 && std::trunc(x) == x; }

int32_t check_distribution(const tl_random_args& args, tl_error* error) noexcept {
  const uint32_t key = dtype_key(args.output->dtype);
  const bool real = key == key_float32 || key == key_float64;
  const double a = args.params[0], b = args.params[1];
  switch (args.distribution) {
    case TL_RANDOM_UNIFORM:
    case TL_RANDOM_NORMAL:
      return real ? TL_OK : decline_dtype(args.output->dtype, "a uniform or normal output", error);
    case TL_RANDOM_INTEGER:
      if (key != key_int64) return decline_dtype(args.output->dtype, "an integer output", error);
      if (is_int64(a) && is_int64(b) && a < b) return TL_OK;
      return fail(TL_E_ARGUMENT, error, "no integers from %g to below %g", a, b);
    case TL_RANDOM_BERNOULLI:
      return real || key == key_bool ? TL_OK
                                     : decline_dtype(args.output->dtype, "a bernoulli output", error);
    default: return fail(TL_DECLINED, error, "unknown distribution %u", args.distribution);
  }
}

/// A view of one parameter: like its first one, and without gaps.
int32_t check_like(const tl_view* view, const tl_view& like, const char* what,
                   tl_error* error) noexcept {
  if (int32_t status = check_view(view, what, error)) return status;
  if (int32_t status = check_extents(*view, like, what, error)) return status;
  if (dtype_key(view->dtype) != dtype_key(like.dtype))
    return fail(TL_DECLINED, error, "%s is %s beside %s", what, dtype_name(view->dtype),
                dtype_name(like.dtype));
  return is_contiguous(*view) ? TL_OK : fail(TL_DECLINED, error, "%s isn't contiguous", what);
}

int32_t check_item(const tl_optim_item& item, const tl_optim_args& args, tl_dtype dtype,
                   tl_error* error) noexcept {
  if (int32_t status = check_output(item.param, error)) return status;
  const tl_view& param = *item.param;
  if (dtype_key(param.dtype) != dtype_key(dtype))
    return fail(TL_DECLINED, error, "parameters of %s and of %s", dtype_name(dtype),
                dtype_name(param.dtype));
  if (int32_t status = check_like(item.param, param, "param", error)) return status;
  if (int32_t status = check_like(item.grad, param, "grad", error)) return status;
  const bool adam = args.fn != TL_OPTIM_SGD;
  if (adam || args.momentum != 0)
    if (int32_t status = check_like(item.state[0], param, "state[0]", error)) return status;
  return adam ? check_like(item.state[1], param, "state[1]", error) : TL_OK;
}

}  // namespace

int32_t check_gather(const tl_index_args& args, tl_error* error) noexcept {
  if (int32_t status = check_index_views(args, error)) return status;
  if (!is_known(args.source->dtype)) return decline_dtype(args.source->dtype, "gather", error);
  return check_index(args, *args.output, *args.source, error);
}

int32_t check_scatter_add(const tl_index_args& args, tl_error* error) noexcept {
  if (int32_t status = check_index_views(args, error)) return status;
  if (!is_number(args.source->dtype)) return decline_dtype(args.source->dtype, "scatter_add", error);
  return check_index(args, *args.source, *args.output, error);
}

int32_t check_scan(const tl_scan_args& args, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_SCAN_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_output(args.output, error)) return status;
  if (int32_t status = check_view(args.input, "input", error)) return status;
  if (int32_t status = check_extents(*args.input, *args.output, "input", error)) return status;
  if (dtype_key(args.input->dtype) != dtype_key(args.output->dtype) || !is_number(args.input->dtype))
    return fail(TL_DECLINED, error, "a scan of %s into %s is not offered",
                dtype_name(args.input->dtype), dtype_name(args.output->dtype));
  if (args.axis >= args.output->rank)
    return fail(TL_E_ARGUMENT, error, "axis %u of rank %u", args.axis, args.output->rank);
  const bool known = args.fn == TL_REDUCE_sum || args.fn == TL_REDUCE_prod ||
                     args.fn == TL_REDUCE_max || args.fn == TL_REDUCE_min;
  if (!known) return fail(TL_DECLINED, error, "a scan by function %u is not offered", args.fn);
  if (args.reverse > 1 || args.reserved != 0)
    return fail(TL_DECLINED, error, "reverse is %u, the reserved field %u", args.reverse,
                args.reserved);
  return TL_OK;
}

int32_t check_random(const tl_random_args& args, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_RANDOM_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_output(args.output, error)) return status;
  if (!is_contiguous(*args.output)) return fail(TL_DECLINED, error, "the output isn't contiguous");
  if (args.reserved != 0) return fail(TL_DECLINED, error, "the reserved field isn't 0");
  return check_distribution(args, error);
}

int32_t check_optim(const tl_optim_args& args, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_OPTIM_ARGS_SIZE_0, error)) return status;
  if (args.fn < TL_OPTIM_SGD || args.fn > TL_OPTIM_ADAMW)
    return fail(TL_DECLINED, error, "unknown optimizer %u", args.fn);
  const uint32_t known = args.fn == TL_OPTIM_SGD ? TL_OPTIM_FIRST | TL_OPTIM_NESTEROV : 0;
  if (args.flags & ~known)
    return fail(TL_DECLINED, error, "flags %#x of optimizer %u", args.flags, args.fn);
  if (args.item_size > TL_OPTIM_ITEM_SIZE_0)
    return fail(TL_DECLINED, error, "items of %u bytes, %d are known", args.item_size,
                TL_OPTIM_ITEM_SIZE_0);
  if (args.item_size < TL_OPTIM_ITEM_SIZE_0 || (args.count > 0 && !args.items))
    return fail(TL_E_ARGUMENT, error, "%u items of %u bytes at %p", args.count, args.item_size,
                static_cast<const void*>(args.items));
  for (uint32_t i = 0; i < args.count; ++i) {
    const tl_view* first = args.items[0].param;
    if (int32_t status = check_view(first, "param", error)) return status;
    const uint32_t key = dtype_key(first->dtype);
    if (key != key_float32 && key != key_float64) return decline_dtype(first->dtype, "a step", error);
    if (int32_t status = check_item(args.items[i], args, first->dtype, error)) return status;
  }
  return TL_OK;
}

}  // namespace plugins
