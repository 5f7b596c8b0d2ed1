#pragma once

#include <cmath>

#include "call.h"
#include "strided.h"

/// matmul by plain loops in double, and one call compared with it.
namespace cpu_simd_test {

/// Extents of the operands; an extent of 1 where the output has more is broadcast.
struct MatmulShape {
  Extents batch, a_batch, b_batch;
  int64_t m, n, k;
};

struct MatmulOptions {
  double alpha = 1, beta = 0;
  int bias_rows = -1;  ///< -1: no bias; 0: one row for all; 1: a full matrix
  bool relu = false;
};

inline Extents matrix(Extents batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

/// Runs it with the layouts given and returns the largest error relative to Σ |a b| (and the rest).
template <class T>
double matmul_error(const Backend& backend, const MatmulShape& s, const MatmulOptions& o,
                    std::mt19937& random) {
  const size_t rank = s.batch.size() + 2;
  Strided<T> a(matrix(s.a_batch, s.m, s.k), random_layout(rank, random));
  Strided<T> b(matrix(s.b_batch, s.k, s.n), random_layout(rank, random));
  Strided<T> out(matrix(s.batch, s.m, s.n), random_layout(rank, random));
  const Extents bias_extents =
      o.bias_rows == 0 ? matrix(Extents(s.batch.size(), 1), 1, s.n) : out.extents();
  Strided<T> bias(bias_extents, random_layout(rank, random));
  a.randomise(random), b.randomise(random), bias.randomise(random);
  if (o.beta != 0) out.randomise(random);
  const std::vector<T> before = out.values();

  const tl_view a_view = a.view_as(matrix(s.batch, s.m, s.k)),
                b_view = b.view_as(matrix(s.batch, s.k, s.n)), out_view = out.view(),
                bias_view = bias.view_as(out.extents());
  tl_matmul_args args{};
  args.a = &a_view;
  args.b = &b_view;
  args.output = &out_view;
  args.alpha = o.alpha;
  args.beta = o.beta;
  if (o.bias_rows >= 0) args.bias = &bias_view;
  if (o.relu) args.activation = TL_MAP_relu;
  matmul(backend, args);

  double worst = out.gaps_untouched() ? 0 : 1e30;
  for (int64_t i = 0; i < out.count(); ++i) {
    const int64_t column = i % s.n, row = i / s.n % s.m, entry = i / s.n / s.m;
    const int64_t a_entry = broadcast_index(entry, s.batch, s.a_batch),
                  b_entry = broadcast_index(entry, s.batch, s.b_batch);
    double sum = 0, size = 0;
    for (int64_t k = 0; k < s.k; ++k) {
      const double product = static_cast<double>(a[(a_entry * s.m + row) * s.k + k]) *
                             static_cast<double>(b[(b_entry * s.k + k) * s.n + column]);
      sum += product;
      size += std::abs(product);
    }
    double value = s.k == 0 ? 0 : o.alpha * sum;
    if (s.k != 0) size *= std::abs(o.alpha);
    if (o.beta != 0) {
      value += o.beta * static_cast<double>(before[static_cast<size_t>(i)]);
      size += 1;
    }
    if (o.bias_rows >= 0) {
      value += static_cast<double>(bias[broadcast_index(i, out.extents(), bias_extents)]);
      size += 1;
    }
    if (o.relu) value = std::max(value, 0.0);
    const double error = std::abs(static_cast<double>(out[i]) - value) / (size + 1e-30);
    worst = error <= worst ? worst : std::isnan(error) ? 1e30 : error;
  }
  return worst;
}

}  // namespace cpu_simd_test
