#include "reference.h"

#include <algorithm>
#include <cmath>

#include "../functions.h"

namespace torchlight::drop_ins {
namespace {

using Values = std::vector<double>;

struct Normal {
  double mean = 0, rstd = 1;
};

Normal normal_of(const float* x, int columns, double eps) {
  if (eps < 0) return {};
  Normal normal;
  for (int j = 0; j < columns; ++j) normal.mean += x[j];
  normal.mean /= columns;
  double variance = 0;
  for (int j = 0; j < columns; ++j) variance += (x[j] - normal.mean) * (x[j] - normal.mean);
  normal.rstd = 1 / std::sqrt(variance / columns + eps);
  return normal;
}

struct Rows {
  int rows, columns;
  std::size_t at(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  }
  std::size_t size() const { return at(rows); }
};

Values softmax_fw(Rows r, const float* x) {
  Values y(r.size());
  for (int i = 0; i < r.rows; ++i) {
    const float* row = x + r.at(i);
    const double largest = *std::max_element(row, row + r.columns);
    double sum = 0;
    for (int j = 0; j < r.columns; ++j) sum += y[r.at(i) + j] = std::exp(row[j] - largest);
    for (int j = 0; j < r.columns; ++j) y[r.at(i) + j] /= sum;
  }
  return y;
}

Values softmax_bw(Rows r, const float* grad, const float* soft) {
  Values out(r.size());
  for (int i = 0; i < r.rows; ++i) {
    double sum = 0;
    for (std::size_t e = r.at(i); e < r.at(i + 1); ++e) sum += double{grad[e]} * soft[e];
    for (std::size_t e = r.at(i); e < r.at(i + 1); ++e) out[e] = soft[e] * (grad[e] - sum);
  }
  return out;
}

Values layernorm_fw(Rows r, const float* x, const float* gamma, const float* beta, double eps) {
  Values y(r.size());
  for (int i = 0; i < r.rows; ++i) {
    const Normal normal = normal_of(x + r.at(i), r.columns, eps);
    for (int j = 0; j < r.columns; ++j)
      y[r.at(i) + j] = (x[r.at(i) + j] - normal.mean) * normal.rstd * gamma[j] + beta[j];
  }
  return y;
}

std::vector<Values> layernorm_bw(Rows r, const float* grad, const float* x, const float* gamma,
                                 double eps) {
  Values dinput(r.size()), dgamma(r.columns), dbeta(r.columns), scaled(r.columns),
      normalised(r.columns);
  for (int i = 0; i < r.rows; ++i) {
    const Normal normal = normal_of(x + r.at(i), r.columns, eps);
    double sum = 0, product = 0;
    for (int j = 0; j < r.columns; ++j) {
      const double g = grad[r.at(i) + j];
      normalised[j] = (x[r.at(i) + j] - normal.mean) * normal.rstd;
      scaled[j] = g * gamma[j];
      sum += scaled[j];
      product += scaled[j] * normalised[j];
      dgamma[j] += g * normalised[j];
      dbeta[j] += g;
    }
    for (int j = 0; j < r.columns; ++j)
      dinput[r.at(i) + j] = normal.rstd * (scaled[j] - (sum + normalised[j] * product) / r.columns);
  }
  return {dinput, dgamma, dbeta};
}

Values matmul(const std::int32_t* dims, const float* a, const float* b) {
  const int batches = dims[0], m = dims[1], k = dims[2], n = dims[3];
  Values y(static_cast<std::size_t>(batches) * m * n);
  for (int batch = 0; batch < batches; ++batch, a += m * k, b += k * n)
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < k; ++p)
        for (int j = 0; j < n; ++j)
          y[(static_cast<std::size_t>(batch) * m + i) * n + j] += double{a[i * k + p]} * b[p * n + j];
  return y;
}

Values apply(const Function& fn, int n, const float* a, const float* b) {
  Values y(n);
  for (int i = 0; i < n; ++i) y[i] = fn.apply(a[i], b[i]);
  return y;
}

Values reduce(const Function& fn, Rows r, const float* x) {
  Values y(r.rows, fn.start);
  for (int i = 0; i < r.rows; ++i)
    for (int j = 0; j < r.columns; ++j) y[i] = fn.apply(y[i], x[r.at(i) + j]);
  return y;
}

}  // namespace

std::vector<Values> expected(const Call& call, const float* region, double eps) {
  const Layout layout = layout_of(call);
  const auto in = [&](int i) { return region + layout.buffers[i].begin; };
  const Rows rows{call.dims[0], call.dims[1]};
  switch (call.op) {
    case Op::softmax_fw: return {softmax_fw(rows, in(0))};
    case Op::softmax_bw: return {softmax_bw(rows, in(0), in(1))};
    case Op::layernorm_fw: return {layernorm_fw(rows, in(0), in(1), in(2), eps)};
    case Op::layernorm_bw: return layernorm_bw(rows, in(0), in(1), in(2), eps);
    case Op::map: return {apply(map_functions[call.fn], call.dims[0], in(0), in(0))};
    case Op::zip: return {apply(zip_functions[call.fn], call.dims[0], in(0), in(1))};
    case Op::reduce: return {reduce(reduce_functions[call.fn], rows, in(0))};
    case Op::matmul: return {matmul(call.dims, in(0), in(1))};
  }
  return {};
}

}  // namespace torchlight::drop_ins
