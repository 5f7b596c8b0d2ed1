#include <cmath>

#include "check.h"
#include "check_common.h"
#include "domains.h"
#include "errors.h"
#include "hooks.h"

namespace plugins {
namespace {

int32_t check_operand(const tl_view* view, const tl_view& output, const char* what,
                      tl_error* error) noexcept {
  if (int32_t status = check_view(view, what, error)) return status;
  if (view->rank != output.rank)
    return fail(TL_E_ARGUMENT, error, "%s has rank %u, the output %u", what, view->rank, output.rank);
  for (uint32_t d = 0; d + 2 < output.rank; ++d)
    if (view->extent[d] != output.extent[d])
      return fail(TL_E_ARGUMENT, error, "%s doesn't have the output's batch extents", what);
  return TL_OK;
}

/// (m, k) times (k, n) gives (m, n).
int32_t check_shapes(const tl_matmul_args& args, tl_error* error) noexcept {
  const uint32_t row = args.output->rank - 2, column = args.output->rank - 1;
  const int64_t* const a = args.a->extent;
  const int64_t* const b = args.b->extent;
  const int64_t* const out = args.output->extent;
  if (a[column] == b[row] && a[row] == out[row] && b[column] == out[column]) return TL_OK;
  return fail(TL_E_ARGUMENT, error, "(%lld, %lld) times (%lld, %lld) doesn't give (%lld, %lld)",
              static_cast<long long>(a[row]), static_cast<long long>(a[column]),
              static_cast<long long>(b[row]), static_cast<long long>(b[column]),
              static_cast<long long>(out[row]), static_cast<long long>(out[column]));
}

int32_t check_dtypes(const tl_matmul_args& args, tl_error* error) noexcept {
  const uint32_t type = dtype_key(args.a->dtype), out = dtype_key(args.output->dtype);
  const bool half = type == key_float16 || type == key_bfloat16;
  const bool offered = half || type == key_float32 || type == key_float64 || type == key_int64;
  if (!offered || dtype_key(args.b->dtype) != type || (out != type && !(half && out == key_float32)))
    return fail(TL_DECLINED, error, "%s times %s giving %s is not offered", dtype_name(args.a->dtype),
                dtype_name(args.b->dtype), dtype_name(args.output->dtype));
  if (args.bias && dtype_key(args.bias->dtype) != out)
    return fail(TL_DECLINED, error, "a bias of %s for an output of %s is not offered",
                dtype_name(args.bias->dtype), dtype_name(args.output->dtype));
  return TL_OK;
}

/// Activations are the maps without parameters whose result is of their input's dtype.
bool is_activation(uint32_t fn, tl_dtype out) noexcept {
  if (fn == TL_FN_NONE) return true;
  const FunctionRow& row = map_row(fn);
  const uint32_t type = dtype_key(out) == key_float64 ? bit_float64
                        : dtype_key(out) == key_int64 ? bit_int64
                                                      : bit_float32;
  return row.name && row.params == 0 && row.domain->outputs == 0 && (row.domain->inputs & type);
}

bool is_whole(double x) noexcept { return std::abs(x) < 0x1p63 && std::trunc(x) == x; }

int32_t check_numbers(const tl_matmul_args& args, tl_error* error) noexcept {
  if (args.reserved != 0) return fail(TL_DECLINED, error, "the reserved field isn't 0");
  if (!is_activation(args.activation, args.output->dtype))
    return fail(TL_DECLINED, error, "activation %u is not offered for %s", args.activation,
                dtype_name(args.output->dtype));
  if (dtype_key(args.a->dtype) == key_int64 && !(is_whole(args.alpha) && is_whole(args.beta)))
    return fail(TL_DECLINED, error, "int64 with a fractional alpha or beta is not offered");
  return TL_OK;
}

}  // namespace

int32_t check(const tl_matmul_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_MATMUL_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_output(args.output, error)) return status;
  if (args.output->rank < 2) return fail(TL_E_ARGUMENT, error, "output: rank %u", args.output->rank);
  if (int32_t status = check_operand(args.a, *args.output, "a", error)) return status;
  if (int32_t status = check_operand(args.b, *args.output, "b", error)) return status;
  if (args.bias) {
    if (int32_t status = check_view(args.bias, "bias", error)) return status;
    if (int32_t status = check_extents(*args.bias, *args.output, "bias", error)) return status;
  }
  if (int32_t status = check_shapes(args, error)) return status;
  if (int32_t status = check_dtypes(args, error)) return status;
  if (int32_t status = check_numbers(args, error)) return status;
  answer_support(answer, TL_TRAIT_REPEATABLE, workspace_bytes(args));
  return TL_OK;
}

}  // namespace plugins
