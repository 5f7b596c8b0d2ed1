#pragma once

#include <torchlight/plugin.h>

#include <cstdint>
#include <string>

#include "job.h"

/// Views, for those who make jobs of them.
namespace torchlight::drop_ins {

inline bool is_float(const tl_view* view) {
  return view->dtype.code == TL_FLOAT && view->dtype.bits == 32;
}
/// Row-major without gaps.
bool is_dense(const tl_view* view);
/// Product of the extents of axes [from, to).
std::int64_t extent_product(const tl_view* view, std::uint32_t from, std::uint32_t to);
inline std::int64_t elements(const tl_view* view) { return extent_product(view, 0, view->rank); }

template <class T = float> T* data(const tl_view* view) {
  return reinterpret_cast<T*>(static_cast<char*>(view->base) + view->byte_offset);
}
/// Copies float32 elements into row-major order, broadcast ones as often as they count.
void gather(const tl_view* view, float* to);

/// A job that isn't.
Job declined(const std::string& why_not);
/// Whether the extents fit into a call at all, and its rows into what the form does; sets why_not
/// otherwise.
bool fits(Job& job, const Form& form, std::initializer_list<std::int64_t> dims);
/// "" unless one of the views isn't float32, or one of the outputs isn't dense. NULL views are passed
/// over.
std::string unfit(std::initializer_list<const tl_view*> inputs,
                  std::initializer_list<const tl_view*> outputs);

/// All numbers are finite, and so small that nothing made of them overflows.
bool is_calm(const float* values, std::int64_t count);
/// What to say where a NaN came of calm numbers, else "".
std::string nan_in(const float* values, std::int64_t count);

}  // namespace torchlight::drop_ins
