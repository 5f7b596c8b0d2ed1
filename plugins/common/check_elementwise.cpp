#include <algorithm>

#include "check.h"
#include "check_common.h"
#include "domains.h"
#include "errors.h"
#include "hooks.h"

namespace plugins {
namespace {

bool same(tl_dtype a, tl_dtype b) noexcept { return dtype_key(a) == dtype_key(b); }

/// May `output` be the very same view as this input?
bool same_layout(const tl_view& a, const tl_view& b) noexcept {
  return same(a.dtype, b.dtype) && std::equal(a.stride, a.stride + a.rank, b.stride);
}

int32_t check_row(const FunctionRow& row, const char* primitive, uint32_t fn, uint32_t params,
                  tl_error* error) noexcept {
  if (!row.name) return fail(TL_DECLINED, error, "%s: unknown function %u", primitive, fn);
  if (params != row.params)
    return fail(TL_E_ARGUMENT, error, "%s: %u parameters instead of %u", row.name, params, row.params);
  return TL_OK;
}

int32_t check_input_dtype(const FunctionRow& row, tl_dtype dtype, tl_error* error) noexcept {
  if (dtype_bit(dtype) & row.domain->inputs) return TL_OK;
  return fail(TL_DECLINED, error, "%s: no %s input", row.name, dtype_name(dtype));
}

/// A function of fixed output type writes that, any other writes the type of its input.
int32_t check_output_dtype(const FunctionRow& row, tl_dtype input, tl_dtype output,
                           tl_error* error) noexcept {
  const bool fits = row.domain->outputs ? dtype_bit(output) & row.domain->outputs : same(input, output);
  if (fits) return TL_OK;
  return fail(TL_DECLINED, error, "%s: no %s output", row.name, dtype_name(output));
}

int32_t check_map_input(const tl_map_args& args, const FunctionRow& row, tl_error* error) noexcept {
  if (int32_t status = check_view(args.input, "input", error)) return status;
  if (int32_t status = check_extents(*args.input, *args.output, "input", error)) return status;
  return check_input_dtype(row, args.input->dtype, error);
}

/// All inputs share one dtype, but for the condition of `where`.
int32_t check_zip_input(const tl_zip_args& args, const FunctionRow& row, uint32_t i,
                        tl_error* error) noexcept {
  if (int32_t status = check_view(args.inputs[i], "input", error)) return status;
  if (int32_t status = check_extents(*args.inputs[i], *args.output, "input", error)) return status;
  const tl_dtype dtype = args.inputs[i]->dtype;
  if (row.domain == &domain_select && i == 0) {
    if (dtype_key(dtype) == key_bool) return TL_OK;
    return fail(TL_DECLINED, error, "%s: a condition of %s", row.name, dtype_name(dtype));
  }
  if (int32_t status = check_input_dtype(row, dtype, error)) return status;
  const tl_view* first = args.inputs[row.domain == &domain_select ? 1 : 0];
  if (same(dtype, first->dtype)) return TL_OK;
  return fail(TL_DECLINED, error, "%s: inputs of different dtypes", row.name);
}

/// The axes of the mask have extent 1 in the output, the others are equal.
int32_t check_reduced_extents(const tl_reduce_args& args, tl_error* error) noexcept {
  const tl_view &input = *args.input, &output = *args.output;
  if (input.rank != output.rank) return fail(TL_E_ARGUMENT, error, "reduce: the ranks differ");
  if (args.axis_mask >> input.rank)
    return fail(TL_E_ARGUMENT, error, "reduce: an axis beyond the rank");
  for (uint32_t i = 0; i < input.rank; ++i) {
    const bool reduced = args.axis_mask >> i & 1;
    if (output.extent[i] != (reduced ? 1 : input.extent[i]))
      return fail(TL_E_ARGUMENT, error, "reduce: the output's axis %u has a wrong extent", i);
  }
  return TL_OK;
}

/// max, min and their positions have no answer for nothing.
int32_t check_not_empty(const tl_reduce_args& args, const FunctionRow& row, tl_error* error) noexcept {
  const bool needs_one = args.fn == TL_REDUCE_max || args.fn == TL_REDUCE_min ||
                         args.fn == TL_REDUCE_argmax || args.fn == TL_REDUCE_argmin;
  if (!needs_one) return TL_OK;
  int64_t outputs = 1, reduced = 1;
  for (uint32_t i = 0; i < args.input->rank; ++i)
    (args.axis_mask >> i & 1 ? reduced : outputs) *= args.input->extent[i];
  if (reduced > 0 || outputs == 0) return TL_OK;
  return fail(TL_E_ARGUMENT, error, "%s over no elements", row.name);
}

}  // namespace

int32_t check(const tl_map_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_MAP_ARGS_SIZE_0, error)) return status;
  const FunctionRow& row = map_row(args.fn);
  if (int32_t status = check_row(row, "map", args.fn, args.param_count, error)) return status;
  if (int32_t status = check_output(args.output, error)) return status;
  const bool creates = row.domain->inputs == 0;
  if (creates && args.input) return fail(TL_E_ARGUMENT, error, "%s takes no input", row.name);
  if (!creates)
    if (int32_t status = check_map_input(args, row, error)) return status;
  if (args.fn == TL_MAP_eye && args.output->rank < 2)
    return fail(TL_E_ARGUMENT, error, "eye: rank %u is below 2", args.output->rank);
  const tl_dtype from = creates ? args.output->dtype : args.input->dtype;
  if (int32_t status = check_output_dtype(row, from, args.output->dtype, error)) return status;
  const bool in_place = !creates && same_layout(*args.input, *args.output);
  answer_support(answer, TL_TRAIT_REPEATABLE | (in_place ? TL_TRAIT_IN_PLACE : 0), 0);
  return TL_OK;
}

int32_t check(const tl_zip_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_ZIP_ARGS_SIZE_0, error)) return status;
  const FunctionRow& row = zip_row(args.fn);
  if (int32_t status = check_row(row, "zip", args.fn, args.param_count, error)) return status;
  if (args.input_count != row.inputs)
    return fail(TL_E_ARGUMENT, error, "%s: %u inputs instead of %u", row.name, args.input_count,
                row.inputs);
  if (args.reserved != 0) return fail(TL_DECLINED, error, "%s: a reserved field is used", row.name);
  if (int32_t status = check_output(args.output, error)) return status;
  bool in_place = false;
  for (uint32_t i = 0; i < row.inputs; ++i) {
    if (int32_t status = check_zip_input(args, row, i, error)) return status;
    in_place |= same_layout(*args.inputs[i], *args.output);
  }
  const tl_dtype from = args.inputs[row.inputs - 1]->dtype;
  if (int32_t status = check_output_dtype(row, from, args.output->dtype, error)) return status;
  answer_support(answer, TL_TRAIT_REPEATABLE | (in_place ? TL_TRAIT_IN_PLACE : 0), 0);
  return TL_OK;
}

int32_t check(const tl_reduce_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_REDUCE_ARGS_SIZE_0, error)) return status;
  const FunctionRow& row = reduce_row(args.fn);
  if (int32_t status = check_row(row, "reduce", args.fn, 0, error)) return status;
  if (int32_t status = check_output(args.output, error)) return status;
  if (int32_t status = check_view(args.input, "input", error)) return status;
  if (int32_t status = check_reduced_extents(args, error)) return status;
  if (int32_t status = check_input_dtype(row, args.input->dtype, error)) return status;
  if (int32_t status = check_output_dtype(row, args.input->dtype, args.output->dtype, error))
    return status;
  if (int32_t status = check_not_empty(args, row, error)) return status;
  answer_support(answer, TL_TRAIT_REPEATABLE, workspace_bytes(args));
  return TL_OK;
}

}  // namespace plugins
