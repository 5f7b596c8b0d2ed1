#include <initializer_list>

#include "check.h"
#include "check_common.h"
#include "errors.h"
#include "hooks.h"

/// softmax and layernorm: primitives that work on rows.
namespace plugins {
namespace {

constexpr uint32_t row_traits = TL_TRAIT_IN_PLACE | TL_TRAIT_REPEATABLE;

int32_t check_real(tl_dtype dtype, tl_error* error) noexcept {
  const uint32_t key = dtype_key(dtype);
  if (key == key_float32 || key == key_float64) return TL_OK;
  return fail(TL_DECLINED, error, "%s is not offered, only float32 and float64", dtype_name(dtype));
}

int32_t check_same_dtype(const tl_view& view, const tl_view& like, const char* what,
                         tl_error* error) noexcept {
  if (dtype_key(view.dtype) == dtype_key(like.dtype)) return TL_OK;
  return fail(TL_DECLINED, error, "%s is %s beside %s", what, dtype_name(view.dtype),
              dtype_name(like.dtype));
}

/// A view of the extents and dtype of `like`.
int32_t check_like(const tl_view* view, const tl_view& like, const char* what,
                   tl_error* error) noexcept {
  if (int32_t status = check_view(view, what, error)) return status;
  if (int32_t status = check_extents(*view, like, what, error)) return status;
  return check_same_dtype(*view, like, what, error);
}

/// A view of axes begin … end-1 of `like`.
int32_t check_axes(const tl_view* view, const tl_view& like, uint32_t begin, uint32_t end,
                   const char* what, tl_error* error) noexcept {
  if (!view) return TL_OK;
  if (int32_t status = check_view(view, what, error)) return status;
  bool equal = view->rank == end - begin;
  for (uint32_t d = begin; equal && d < end; ++d) equal = view->extent[d - begin] == like.extent[d];
  if (!equal)
    return fail(TL_E_ARGUMENT, error, "%s doesn't have the extents of its axes of input", what);
  return check_same_dtype(*view, like, what, error);
}

int32_t check_output_axes(const tl_view* view, const tl_view& like, uint32_t begin, uint32_t end,
                          const char* what, tl_error* error) noexcept {
  if (int32_t status = check_axes(view, like, begin, end, what, error)) return status;
  return view ? check_output(view, error) : TL_OK;
}

struct Named {
  const char* name;
  const tl_view* view;  // or NULL
};

/// The bytes that a view reaches over. `dense`: it has all of them.
struct Reach {
  uintptr_t begin, end;
  bool dense;
};

uintptr_t address_of(const tl_view& view) noexcept {
  return reinterpret_cast<uintptr_t>(view.base) + static_cast<uintptr_t>(view.byte_offset);
}

/// REQUIRES: it has elements.
Reach reach_of(const tl_view& view) noexcept {
  const int64_t item = view.dtype.bits / 8;
  int64_t low = 0, high = 0, count = 1;
  for (uint32_t d = 0; d < view.rank; ++d) {
    const int64_t reach = (view.extent[d] - 1) * view.stride[d];
    (reach < 0 ? low : high) += reach;
    if (view.stride[d] != 0) count *= view.extent[d];
  }
  const uintptr_t at = address_of(view);
  return {at + static_cast<uintptr_t>(low * item), at + static_cast<uintptr_t>((high + 1) * item),
          high - low < count};
}

bool is_empty(const tl_view& view) noexcept {
  for (uint32_t d = 0; d < view.rank; ++d)
    if (view.extent[d] == 0) return true;
  return false;
}

/// Views with gaps may lie in each other's: of those only the first elements are compared.
bool share_memory(const tl_view& a, const tl_view& b) noexcept {
  if (is_empty(a) || is_empty(b)) return false;
  const Reach x = reach_of(a), y = reach_of(b);
  if (!x.dense || !y.dense) return address_of(a) == address_of(b);
  return x.begin < y.end && y.begin < x.end;
}

/// What is written while rows are still to be read, such as sums over them, would spoil an input that
/// lies there. Memory need not exist where a call is only asked about.
int32_t check_apart(const tl_support* answer, std::initializer_list<Named> outputs,
                    std::initializer_list<Named> inputs, tl_error* error) noexcept {
  if (answer) return TL_OK;
  for (const Named& output : outputs)
    for (const Named& input : inputs)
      if (output.view && input.view && share_memory(*output.view, *input.view))
        return fail(TL_E_ARGUMENT, error, "%s shares memory with %s", output.name, input.name);
  return TL_OK;
}

int32_t check_softmax_output(const tl_view* output, tl_error* error) noexcept {
  if (int32_t status = check_output(output, error)) return status;
  if (output->rank == 0) return fail(TL_E_ARGUMENT, error, "output: a last axis is needed, rank is 0");
  return check_real(output->dtype, error);
}

int32_t check_normalized(const tl_view* input, uint32_t normalized, uint32_t reserved,
                         tl_error* error) noexcept {
  if (int32_t status = check_view(input, "input", error)) return status;
  if (int32_t status = check_real(input->dtype, error)) return status;
  if (normalized == 0 || normalized > input->rank)
    return fail(TL_E_ARGUMENT, error, "%u normalised axes of %u", normalized, input->rank);
  if (reserved != 0) return fail(TL_DECLINED, error, "the reserved field isn't 0");
  return TL_OK;
}

}  // namespace

int32_t check(const tl_attn_softmax_fw_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_ATTN_SOFTMAX_FW_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_softmax_output(args.output, error)) return status;
  if (int32_t status = check_like(args.input, *args.output, "input", error)) return status;
  if (args.mask)
    if (int32_t status = check_like(args.mask, *args.output, "mask", error)) return status;
  if (args.causal > 1 || args.reserved != 0)
    return fail(TL_DECLINED, error, "causal is %u, the reserved field %u", args.causal, args.reserved);
  answer_support(answer, row_traits, 0);
  return TL_OK;
}

int32_t check(const tl_attn_softmax_bw_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_ATTN_SOFTMAX_BW_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_softmax_output(args.output, error)) return status;
  if (int32_t status = check_like(args.grad, *args.output, "grad", error)) return status;
  if (int32_t status = check_like(args.soft, *args.output, "soft", error)) return status;
  answer_support(answer, row_traits, 0);
  return TL_OK;
}

int32_t check(const tl_layernorm_fw_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_LAYERNORM_FW_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_normalized(args.input, args.normalized, args.reserved, error))
    return status;
  const tl_view& input = *args.input;
  const uint32_t rank = input.rank, split = rank - args.normalized;
  if (int32_t status = check_output(args.output, error)) return status;
  if (int32_t status = check_like(args.output, input, "output", error)) return status;
  if (int32_t status = check_axes(args.gamma, input, split, rank, "gamma", error)) return status;
  if (int32_t status = check_axes(args.beta, input, split, rank, "beta", error)) return status;
  if (int32_t status = check_output_axes(args.mean, input, 0, split, "mean", error)) return status;
  if (int32_t status = check_output_axes(args.rstd, input, 0, split, "rstd", error)) return status;
  if (int32_t status =
          check_apart(answer, {{"mean", args.mean}, {"rstd", args.rstd}},
                      {{"input", args.input}, {"gamma", args.gamma}, {"beta", args.beta}}, error))
    return status;
  answer_support(answer, row_traits, 0);
  return TL_OK;
}

int32_t check(const tl_layernorm_bw_args& args, tl_support* answer, tl_error* error) noexcept {
  if (int32_t status = check_head(args.head, TL_LAYERNORM_BW_ARGS_SIZE_0, error)) return status;
  if (int32_t status = check_normalized(args.input, args.normalized, args.reserved, error))
    return status;
  const tl_view& input = *args.input;
  const uint32_t rank = input.rank, split = rank - args.normalized;
  if (int32_t status = check_like(args.grad, input, "grad", error)) return status;
  if (int32_t status = check_axes(args.gamma, input, split, rank, "gamma", error)) return status;
  if (int32_t status = check_axes(args.mean, input, 0, split, "mean", error)) return status;
  if (int32_t status = check_axes(args.rstd, input, 0, split, "rstd", error)) return status;
  if (int32_t status = check_output_axes(args.dinput, input, 0, rank, "dinput", error)) return status;
  if (int32_t status = check_output_axes(args.dgamma, input, split, rank, "dgamma", error))
    return status;
  if (int32_t status = check_output_axes(args.dbeta, input, split, rank, "dbeta", error)) return status;
  if (int32_t status = check_apart(answer, {{"dgamma", args.dgamma}, {"dbeta", args.dbeta}},
                                   {{"grad", args.grad},
                                    {"input", args.input},
                                    {"gamma", args.gamma},
                                    {"mean", args.mean},
                                    {"rstd", args.rstd}},
                                   error))
    return status;
  answer_support(answer, row_traits, workspace_bytes(args));
  return TL_OK;
}

}  // namespace plugins
