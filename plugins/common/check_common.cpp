#include "check_common.h"

#include <algorithm>

#include "errors.h"
#include "hooks.h"

namespace plugins {
namespace {

/// Is every byte of `object` from `known` to `size` zero? A newer caller may have filled more than we
/// know; where that isn't zero it asks for something we can't do.
bool zero_tail(const void* object, uint32_t known, uint32_t size) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(object);
  return size <= known ||
         std::all_of(bytes + known, bytes + size, [](unsigned char b) { return b == 0; });
}

}  // namespace

int32_t check_head(const tl_args& head, uint32_t known, tl_error* error) noexcept {
  if (head.size < known)
    return fail(TL_E_ARGUMENT, error, "the arguments have %u bytes, fewer than %u", head.size, known);
  if (!zero_tail(&head, known, head.size))
    return fail(TL_DECLINED, error, "the arguments hold something newer than ABI %d.%d", TL_ABI_MAJOR,
                TL_ABI_MINOR);
  if (head.flags != 0) return fail(TL_DECLINED, error, "unknown flags 0x%x", head.flags);
  return TL_OK;
}

int32_t check_view(const tl_view* view, const char* what, tl_error* error) noexcept {
  if (!view) return fail(TL_E_ARGUMENT, error, "%s is missing", what);
  if (view->size < TL_VIEW_SIZE_0)
    return fail(TL_E_ARGUMENT, error, "%s: a view of %u bytes, fewer than %d", what, view->size,
                TL_VIEW_SIZE_0);
  if (!zero_tail(view, TL_VIEW_SIZE_0, view->size))
    return fail(TL_DECLINED, error, "%s: the view holds something newer than ABI %d.%d", what,
                TL_ABI_MAJOR, TL_ABI_MINOR);
  if (view->flags & ~uint32_t{TL_VIEW_ALIGNED})
    return fail(TL_DECLINED, error, "%s: unknown view flags 0x%x", what, view->flags);
  if (view->rank > TL_MAX_RANK)
    return fail(TL_DECLINED, error, "%s: rank %u is above %d", what, view->rank, TL_MAX_RANK);
  if (view->dtype.lanes != 1) return fail(TL_DECLINED, error, "%s: lanes other than 1", what);
  if (int32_t status = check_place(*view, what, error)) return status;
  for (uint32_t i = 0; i < view->rank; ++i)
    if (view->extent[i] < 0) return fail(TL_E_ARGUMENT, error, "%s: a negative extent", what);
  return TL_OK;
}

int32_t check_extents(const tl_view& view, const tl_view& like, const char* what,
                      tl_error* error) noexcept {
  if (view.rank == like.rank && std::equal(view.extent, view.extent + view.rank, like.extent))
    return TL_OK;
  return fail(TL_E_ARGUMENT, error, "%s doesn't have the output's extents", what);
}

int32_t check_output(const tl_view* view, tl_error* error) noexcept {
  if (int32_t status = check_view(view, "output", error)) return status;
  if (std::find(view->extent, view->extent + view->rank, 0) != view->extent + view->rank) return TL_OK;
  for (uint32_t i = 0; i < view->rank; ++i)
    if (view->stride[i] == 0 && view->extent[i] > 1)
      return fail(TL_E_ARGUMENT, error, "output: axis %u is broadcast", i);
  return TL_OK;
}

const char* dtype_name(tl_dtype dtype) noexcept {
  switch (dtype_key(dtype)) {
    case key_float32: return "float32";
    case key_float64: return "float64";
    case key_int64: return "int64";
    case key_int32: return "int32";
    case key_uint8: return "uint8";
    case key_bool: return "bool";
    case key_float16: return "float16";
    case key_bfloat16: return "bfloat16";
    default: return "an unknown dtype";
  }
}

void answer_support(tl_support* answer, uint32_t traits, uint64_t workspace_bytes) noexcept {
  if (answer) fill_answer(*answer, {0, traits, workspace_bytes});
}

}  // namespace plugins
