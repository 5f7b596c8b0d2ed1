#pragma once

#include <torchlight/plugin.h>

#include <cstring>

/// The parts that the check_*.cpp files share.
namespace plugins {

/// Size, zero tail and flags of an argument struct of which `known` bytes are known here.
int32_t check_head(const tl_args& head, uint32_t known, tl_error* error) noexcept;

/// Size, flags, rank, lanes of a view. `what` names it in the message.
int32_t check_view(const tl_view* view, const char* what, tl_error* error) noexcept;

/// The same extents as `like`.
int32_t check_extents(const tl_view& view, const tl_view& like, const char* what,
                      tl_error* error) noexcept;

/// As check_view; and no element is written twice.
int32_t check_output(const tl_view* view, tl_error* error) noexcept;

/// Code and bits in one number, to switch on: dtype_key(dtype) == key_float32.
[[gnu::always_inline]] constexpr uint32_t dtype_key(tl_dtype t) noexcept {
  return uint32_t{t.code} << 8 | t.bits;
}
constexpr uint32_t key_float32 = TL_FLOAT << 8 | 32, key_float64 = TL_FLOAT << 8 | 64,
                   key_int64 = TL_INT << 8 | 64, key_int32 = TL_INT << 8 | 32,
                   key_uint8 = TL_UINT << 8 | 8, key_bool = TL_BOOL << 8 | 8,
                   key_float16 = TL_FLOAT << 8 | 16, key_bfloat16 = TL_BFLOAT << 8 | 16;

/// "float32", or "dtype 7:12" for one that Torchlight doesn't have.
const char* dtype_name(tl_dtype dtype) noexcept;

/// Fills what the caller's struct has room for, and leaves its size alone.
template <class T> void fill_answer(T& answer, T full) noexcept {
  full.size = answer.size;
  std::memcpy(&answer, &full, answer.size < sizeof full ? answer.size : sizeof full);
}
void answer_support(tl_support* answer, uint32_t traits, uint64_t workspace_bytes) noexcept;

}  // namespace plugins
