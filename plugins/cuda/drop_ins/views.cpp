#include "views.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

namespace torchlight::drop_ins {

bool is_dense(const tl_view* view) {
  std::int64_t step = 1;
  for (std::uint32_t d = view->rank; d-- > 0; step *= view->extent[d])
    if (view->extent[d] != 1 && view->stride[d] != step) return false;
  return true;
}

std::int64_t extent_product(const tl_view* view, std::uint32_t from, std::uint32_t to) {
  std::int64_t product = 1;
  for (std::uint32_t d = from; d < to; ++d) {
    // Whatever is too large for a call is just that.
    if (view->extent[d] != 0 && product > LLONG_MAX / view->extent[d]) return LLONG_MAX;
    product *= view->extent[d];
  }
  return product;
}

void gather(const tl_view* view, float* to) {
  const float* from = data(view);
  const std::int64_t count = elements(view);
  if (is_dense(view)) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  const std::uint32_t last = view->rank - 1;  // a view without axes is dense
  const std::int64_t length = view->extent[last], step = view->stride[last];
  std::int64_t index[TL_MAX_RANK] = {};
  for (std::int64_t done = 0; done < count; done += length) {
    std::int64_t at = 0;
    for (std::uint32_t d = 0; d < last; ++d) at += index[d] * view->stride[d];
    for (std::int64_t j = 0; j < length; ++j) *to++ = from[at + j * step];
    for (std::uint32_t d = last; d-- > 0;) {
      if (++index[d] < view->extent[d]) break;
      index[d] = 0;
    }
  }
}

Job declined(const std::string& why_not) {
  Job job;
  job.why_not = why_not;
  return job;
}

bool fits(Job& job, const Form& form, std::initializer_list<std::int64_t> dims) {
  int i = 0;
  for (const std::int64_t dim : dims) {
    if (dim == 0) job.why_not = "there are no elements";
    if (dim > INT_MAX) job.why_not = "too large for a drop-in: launchers count in int";
    job.call.dims[i++] = static_cast<std::int32_t>(std::min<std::int64_t>(dim, INT_MAX));
  }
  if (!job.why_not.empty()) return false;
  const bool has_rows = job.call.op != Op::map && job.call.op != Op::zip && job.call.op != Op::matmul;
  const std::int32_t columns = job.call.dims[1];
  if (has_rows && columns > form.most_columns)
    job.why_not = "it does up to " + std::to_string(form.most_columns) + " columns, not " +
                  std::to_string(columns);
  else if (has_rows && columns % form.columns_step != 0)
    job.why_not = "it does multiples of " + std::to_string(form.columns_step) + " columns, not " +
                  std::to_string(columns);
  else if (!is_sound(job.call))
    job.why_not = "too large for a drop-in";
  return job.why_not.empty();
}

std::string unfit(std::initializer_list<const tl_view*> inputs,
                  std::initializer_list<const tl_view*> outputs) {
  const auto is_fit = [](const tl_view* view) { return !view || is_float(view); };
  if (!std::all_of(inputs.begin(), inputs.end(), is_fit) ||
      !std::all_of(outputs.begin(), outputs.end(), is_fit))
    return "drop-ins compute in float32 only";
  const auto dense = [](const tl_view* view) { return !view || is_dense(view); };
  return std::all_of(outputs.begin(), outputs.end(), dense) ? "" : "drop-ins write dense outputs only";
}

bool is_calm(const float* values, std::int64_t count) {
  return std::all_of(values, values + count, [](float x) { return std::abs(x) < 1e15f; });
}

std::string nan_in(const float* values, std::int64_t count) {
  const bool any = std::any_of(values, values + count, [](float x) { return std::isnan(x); });
  return any ? "it gave NaN for finite numbers" : "";
}

}  // namespace torchlight::drop_ins
