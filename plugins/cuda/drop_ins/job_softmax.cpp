#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "views.h"

namespace torchlight::drop_ins {
namespace {

/// What a row is to give without the launcher: these never reach one.
enum Row : char { computed, zeros, nans };

/// scale * x + mask, less its largest value, so that every launcher's sums are tame; what vanishes
/// beside it is made -120, whose exp is 0 in float32 with or without -inf. `x` and `mask` (or NULL)
/// have `count` that matter, the rest of the row isn't looked at.
Row prepare(float* x, const float* mask, double scale, std::int64_t count, std::int64_t columns) {
  constexpr double vanishing = -120;
  const auto value = [&](std::int64_t j) { return scale * x[j] + (mask ? double{mask[j]} : 0); };
  double largest = -INFINITY;
  bool any_nan = false;
  for (std::int64_t j = 0; j < count; ++j) {
    const double v = value(j);
    any_nan |= std::isnan(v);
    largest = std::max(largest, v);
  }
  if (any_nan || !std::isfinite(largest)) {
    std::fill_n(x, columns, 0.0f);
    return any_nan || largest > 0 ? nans : zeros;
  }
  for (std::int64_t j = 0; j < count; ++j)
    x[j] = static_cast<float>(std::max(value(j) - largest, vanishing));
  std::fill(x + count, x + columns, static_cast<float>(vanishing));
  return computed;
}

/// What is hidden gives 0, whatever the rest of the row is.
void take_row(const float* from, float* to, Row row, std::int64_t count, std::int64_t columns) {
  if (row == computed)
    std::copy_n(from, count, to);
  else
    std::fill_n(to, count, row == zeros ? 0.0f : NAN);
  std::fill(to + count, to + columns, 0.0f);
}

/// Whatever went in, a row of a softmax sums up to 1.
std::string judge_row(const float* row, std::int64_t columns) {
  const double sum = std::accumulate(row, row + columns, 0.0);
  if (std::isnan(sum)) return nan_in(row, columns);
  return std::abs(sum - 1) < 1e-3 ? ""
                                  : "it gave a row whose sum is " + std::to_string(sum) + ", not 1";
}

}  // namespace

Job job_of(const tl_attn_softmax_fw_args& args, const Form& form) {
  Job job;
  job.call.op = Op::softmax_fw;
  job.why_not = unfit({args.input, args.mask}, {args.output});
  const tl_view* input = args.input;
  if (input->rank == 0) job.why_not = "a number alone isn't for a drop-in";
  if (!job.why_not.empty()) return job;
  const std::int64_t columns = input->extent[input->rank - 1],
                     rows = extent_product(input, 0, input->rank - 1);
  if (!fits(job, form, {rows, columns})) return job;
  const std::int64_t queries = input->rank > 1 ? input->extent[input->rank - 2] : 1;
  const auto counting = [&args, queries, columns](std::int64_t row) {
    if (!args.causal) return columns;
    return std::clamp<std::int64_t>(
        row % queries + std::clamp(args.causal_offset, -queries, columns) + 1, 0, columns);
  };
  const auto kinds = std::make_shared<std::vector<Row>>();
  job.fill = [&args, rows, columns, counting, kinds](float* const* buffers) {
    gather(args.input, buffers[0]);
    std::vector<float> mask;
    if (args.mask) mask.resize(static_cast<std::size_t>(rows * columns));
    if (args.mask) gather(args.mask, mask.data());
    for (std::int64_t row = 0; row < rows; ++row)
      kinds->push_back(prepare(buffers[0] + row * columns,
                               args.mask ? mask.data() + row * columns : nullptr, args.scale,
                               counting(row), columns));
  };
  job.collect = [&args, rows, columns, counting, kinds](float* const* buffers) {
    for (std::int64_t row = 0; row < rows; ++row)
      if (std::string wrong = judge_row(buffers[1] + row * columns, columns); !wrong.empty())
        return wrong;
    for (std::int64_t row = 0; row < rows; ++row)
      take_row(buffers[1] + row * columns, data(args.output) + row * columns,
               (*kinds)[static_cast<std::size_t>(row)], counting(row), columns);
    return std::string();
  };
  return job;
}

Job job_of(const tl_attn_softmax_bw_args& args, const Form& form) {
  Job job;
  job.call.op = Op::softmax_bw;
  job.why_not = unfit({args.grad, args.soft}, {args.output});
  if (args.grad->rank == 0) job.why_not = "a number alone isn't for a drop-in";
  if (!job.why_not.empty()) return job;
  const tl_view* grad = args.grad;
  if (!fits(job, form, {extent_product(grad, 0, grad->rank - 1), grad->extent[grad->rank - 1]}))
    return job;
  const std::int64_t count = elements(grad);
  const auto calm = std::make_shared<bool>(false);
  job.fill = [&args, count, calm](float* const* buffers) {
    gather(args.grad, buffers[0]);
    gather(args.soft, buffers[1]);
    *calm = is_calm(buffers[0], count) && is_calm(buffers[1], count);
  };
  job.collect = [&args, count, calm](float* const* buffers) {
    std::string wrong = *calm ? nan_in(buffers[2], count) : std::string();
    if (!wrong.empty()) return wrong;
    float* to = data(args.output);
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(args.scale * buffers[2][i]);
    return wrong;
  };
  return job;
}

}  // namespace torchlight::drop_ins
