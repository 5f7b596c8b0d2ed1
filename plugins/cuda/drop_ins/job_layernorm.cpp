#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "views.h"

namespace torchlight::drop_ins {
namespace {

struct Shape {
  std::int64_t rows, columns;
};

Shape shape_of(const tl_view* input, std::uint32_t normalized) {
  const std::uint32_t split = input->rank - normalized;
  return {extent_product(input, 0, split), extent_product(input, split, input->rank)};
}

struct Statistics {
  double mean = 0, rstd = 1;
};

Statistics statistics_of(const float* x, std::int64_t columns, double eps) {
  Statistics found;
  for (std::int64_t j = 0; j < columns; ++j) found.mean += x[j];
  found.mean /= static_cast<double>(columns);
  double variance = 0;
  for (std::int64_t j = 0; j < columns; ++j) variance += (x[j] - found.mean) * (x[j] - found.mean);
  found.rstd = 1 / std::sqrt(variance / static_cast<double>(columns) + eps);
  return found;
}

/// A launcher has an eps of its own, but layernorm of s * x with eps' is that of x with eps' / s²: so
/// with s chosen, each does any. Less its mean a row loses nothing by being scaled, and one-pass
/// variances are exact on it.
struct Scaling {
  double scale;
  /// Where s would leave float32's range for the squares, eps is nothing beside the row anyway.
  static double of_row(const float* x, std::int64_t columns, double mean, double scale) {
    double largest = 0;
    for (std::int64_t j = 0; j < columns; ++j) largest = std::max(largest, std::abs(x[j] - mean));
    constexpr double tame = 1e9, instead = 1e6;
    return largest * scale > tame ? instead / largest : scale;
  }
};

std::string unfit_eps(double eps) {
  return eps > 1e-30 ? "" : "its eps can't be taken for the call's, which is " + std::to_string(eps);
}

void fill_vector(const tl_view* view, float value, float* to, std::int64_t columns) {
  if (view)
    gather(view, to);
  else
    std::fill_n(to, columns, value);
}

void take(const tl_view* view, const float* from) {
  if (view) std::memcpy(data(view), from, static_cast<std::size_t>(elements(view)) * sizeof(float));
}

}  // namespace

Job job_of(const tl_layernorm_fw_args& args, const Form& form) {
  Job job;
  job.call.op = Op::layernorm_fw;
  job.why_not = unfit({args.input, args.gamma, args.beta}, {args.output, args.mean, args.rstd});
  if (job.why_not.empty()) job.why_not = unfit_eps(args.eps);
  if (!job.why_not.empty()) return job;
  const auto [rows, columns] = shape_of(args.input, args.normalized);
  if (!fits(job, form, {rows, columns})) return job;
  struct Saved {
    std::vector<Statistics> rows;
    bool calm = false;
  };
  const auto saved = std::make_shared<Saved>();
  const double scale = std::sqrt(form.eps / args.eps);
  job.fill = [&args, rows = rows, columns = columns, scale, saved](float* const* buffers) {
    gather(args.input, buffers[0]);
    fill_vector(args.gamma, 1, buffers[1], columns);
    fill_vector(args.beta, 0, buffers[2], columns);
    saved->calm = is_calm(buffers[0], rows * columns) && is_calm(buffers[1], columns) &&
                  is_calm(buffers[2], columns);
    for (std::int64_t row = 0; row < rows; ++row) {
      float* x = buffers[0] + row * columns;
      const Statistics statistics = statistics_of(x, columns, args.eps);
      const double s = Scaling::of_row(x, columns, statistics.mean, scale);
      for (std::int64_t j = 0; j < columns; ++j)
        x[j] = static_cast<float>((x[j] - statistics.mean) * s);
      saved->rows.push_back(statistics);
    }
  };
  job.collect = [&args, rows = rows, columns = columns, saved](float* const* buffers) {
    std::string wrong = saved->calm ? nan_in(buffers[3], rows * columns) : std::string();
    if (!wrong.empty()) return wrong;
    take(args.output, buffers[3]);
    for (std::size_t row = 0; row < saved->rows.size(); ++row) {
      if (args.mean) data(args.mean)[row] = static_cast<float>(saved->rows[row].mean);
      if (args.rstd) data(args.rstd)[row] = static_cast<float>(saved->rows[row].rstd);
    }
    return wrong;
  };
  return job;
}

Job job_of(const tl_layernorm_bw_args& args, const Form& form) {
  Job job;
  job.call.op = Op::layernorm_bw;
  job.why_not = unfit({args.grad, args.input, args.gamma, args.mean, args.rstd},
                      {args.dinput, args.dgamma, args.dbeta});
  if (job.why_not.empty()) job.why_not = unfit_eps(args.eps);
  if (!job.why_not.empty()) return job;
  const auto [rows, columns] = shape_of(args.input, args.normalized);
  if (!fits(job, form, {rows, columns})) return job;
  struct Saved {
    std::vector<double> factors;  ///< for each row of dinput
    bool calm = false;
  };
  const auto saved = std::make_shared<Saved>();
  const bool normalises = form.spelling == Spelling::tutorial;
  const double scale = std::sqrt(form.eps / args.eps);
  job.fill = [&args, rows = rows, columns = columns, normalises, scale, saved](float* const* buffers) {
    gather(args.grad, buffers[0]);
    gather(args.input, buffers[1]);
    fill_vector(args.gamma, 1, buffers[2], columns);
    saved->calm = is_calm(buffers[0], rows * columns) && is_calm(buffers[1], rows * columns) &&
                  is_calm(buffers[2], columns);
    std::vector<float> means(static_cast<std::size_t>(rows)), rstds(means.size());
    if (args.mean) gather(args.mean, means.data());
    if (args.rstd) gather(args.rstd, rstds.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      float* x = buffers[1] + row * columns;
      const auto r = static_cast<std::size_t>(row);
      Statistics used;
      if (!args.mean || !args.rstd) used = statistics_of(x, columns, args.eps);
      if (args.mean) used.mean = means[r];
      if (args.rstd) used.rstd = rstds[r];
      const double factor = normalises ? Scaling::of_row(x, columns, used.mean, scale) : used.rstd;
      for (std::int64_t j = 0; j < columns; ++j) x[j] = static_cast<float>((x[j] - used.mean) * factor);
      saved->factors.push_back(factor);
    }
  };
  job.collect = [&args, rows = rows, columns = columns, saved](float* const* buffers) {
    std::string wrong;
    if (saved->calm)
      for (const int output : {3, 4, 5})
        if (wrong.empty()) wrong = nan_in(buffers[output], output == 3 ? rows * columns : columns);
    if (!wrong.empty()) return wrong;
    take(args.dgamma, buffers[4]);
    take(args.dbeta, buffers[5]);
    if (!args.dinput) return wrong;
    float* to = data(args.dinput);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i)
        to[i] = static_cast<float>(buffers[3][i] * saved->factors[static_cast<std::size_t>(row)]);
    return wrong;
  };
  return job;
}

}  // namespace torchlight::drop_ins
