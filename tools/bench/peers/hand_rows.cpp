#include "hand.h"

namespace peers::hand {
namespace {

// All rows here have a multiple of 32 columns.
constexpr std::int64_t step = 2 * width;

void softmax_row(float* y, const float* x, const float* mask, std::int64_t n) {
  const auto masked = [&](std::int64_t i) { return _mm512_add_ps(load(x + i), load(mask + i)); };
  Vector highest[2] = {all(-infinity), all(-infinity)};
  for (std::int64_t i = 0; i < n; i += step)
    for (int k = 0; k < 2; ++k) highest[k] = _mm512_max_ps(highest[k], masked(i + k * width));
  const Vector max = all(_mm512_reduce_max_ps(_mm512_max_ps(highest[0], highest[1])));
  Vector sums[2] = {all(0), all(0)};
  for (std::int64_t i = 0; i < n; i += step)
    for (int k = 0; k < 2; ++k) {
      const Vector e = exp(_mm512_sub_ps(masked(i + k * width), max));
      sums[k] = _mm512_add_ps(sums[k], e);
      store(y + i + k * width, e);
    }
  const Vector factor = all(1 / _mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1])));
  for (std::int64_t i = 0; i < n; i += width) store(y + i, _mm512_mul_ps(factor, load(y + i)));
}

void softmax_bw_row(float* y, const float* grad, const float* soft, std::int64_t n) {
  Vector sums[2] = {all(0), all(0)};
  for (std::int64_t i = 0; i < n; i += step)
    for (int k = 0; k < 2; ++k)
      sums[k] = _mm512_fmadd_ps(load(grad + i + k * width), load(soft + i + k * width), sums[k]);
  const Vector sum = all(_mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1])));
  for (std::int64_t i = 0; i < n; i += width)
    store(y + i, _mm512_mul_ps(load(soft + i), _mm512_sub_ps(load(grad + i), sum)));
}

struct Moments {
  float mean, rstd;
};

Moments moments(const float* x, std::int64_t n) {
  Vector sums[2] = {all(0), all(0)}, squares[2] = {all(0), all(0)};
  for (std::int64_t i = 0; i < n; i += step)
    for (int k = 0; k < 2; ++k) sums[k] = _mm512_add_ps(sums[k], load(x + i + k * width));
  const auto count = static_cast<float>(n);
  const float mean = _mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1])) / count;
  for (std::int64_t i = 0; i < n; i += step)
    for (int k = 0; k < 2; ++k) {
      const Vector d = _mm512_sub_ps(load(x + i + k * width), all(mean));
      squares[k] = _mm512_fmadd_ps(d, d, squares[k]);
    }
  const float variance = _mm512_reduce_add_ps(_mm512_add_ps(squares[0], squares[1])) / count;
  return {mean, 1 / std::sqrt(variance + 1e-5f)};
}

// (x - mean) * rstd, in one multiply-add.
struct Normalize {
  explicit Normalize(const Moments& m) : scale(all(m.rstd)), shift(all(-m.mean * m.rstd)) {}
  Vector operator()(const float* x) const { return _mm512_fmadd_ps(load(x), scale, shift); }
  Vector scale, shift;
};

void layernorm_row(float* y, const float* x, const float* gamma, const float* beta, std::int64_t n) {
  const Normalize normalized(moments(x, n));
  for (std::int64_t i = 0; i < n; i += width)
    store(y + i, _mm512_fmadd_ps(normalized(x + i), load(gamma + i), load(beta + i)));
}

// dx of one row; adds to dgamma and dbeta.
void layernorm_bw_row(float* dx, float* dgamma, float* dbeta, const float* grad, const float* x,
                      const float* gamma, const Moments& m, std::int64_t n) {
  const Normalize normalized(m);
  Vector sum = all(0), product = all(0);
  for (std::int64_t i = 0; i < n; i += width) {
    const Vector xhat = normalized(x + i), g = load(grad + i),
                 weighted = _mm512_mul_ps(g, load(gamma + i));
    sum = _mm512_add_ps(sum, weighted);
    product = _mm512_fmadd_ps(weighted, xhat, product);
    store(dgamma + i, _mm512_fmadd_ps(g, xhat, load(dgamma + i)));
    store(dbeta + i, _mm512_add_ps(g, load(dbeta + i)));
  }
  const auto count = static_cast<float>(n);
  const Vector a = all(_mm512_reduce_add_ps(sum) / count),
               b = all(_mm512_reduce_add_ps(product) / count);
  for (std::int64_t i = 0; i < n; i += width) {
    const Vector weighted = _mm512_mul_ps(load(grad + i), load(gamma + i));
    const Vector inner = _mm512_sub_ps(weighted, _mm512_fmadd_ps(normalized(x + i), b, a));
    store(dx + i, _mm512_mul_ps(normalized.scale, inner));
  }
}

Work layernorm_bw(std::int64_t rows, std::int64_t columns) {
  constexpr int most_threads = 16;
  const std::int64_t n = rows * columns;
  const Buffer x(n, 1), gamma(columns, 2), grad(n, 4), out(n);
  const Buffer dgamma(columns * most_threads), dbeta(columns * most_threads);
  auto saved = std::make_shared<std::vector<Moments>>();
  for (std::int64_t r = 0; r < rows; ++r) saved->push_back(moments(x.data() + r * columns, columns));
  return work(
      [=] {
        for (const Buffer* sums : {&dgamma, &dbeta}) std::fill(sums->begin(), sums->end(), 0.0f);
        in_rows(rows, n, [&](std::int64_t begin, std::int64_t end) {
          const std::int64_t mine = omp_get_thread_num() * columns;
          for (std::int64_t r = begin; r < end; ++r)
            layernorm_bw_row(out.data() + r * columns, dgamma.data() + mine, dbeta.data() + mine,
                             grad.data() + r * columns, x.data() + r * columns, gamma.data(),
                             (*saved)[static_cast<std::size_t>(r)], columns);
        });
        for (int t = 1; t < threads(); ++t)
          for (const Buffer* sums : {&dgamma, &dbeta})
            for (std::int64_t i = 0; i < columns; ++i) sums->data()[i] += sums->data()[t * columns + i];
      },
      out);
}

// f(row) for all rows, by the threads.
template <class F> Work each_row(const Buffer& out, std::int64_t rows, F f) {
  return work(
      [=] {
        in_rows(rows, out.size(), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r) f(r);
        });
      },
      out);
}

}  // namespace

Work softmax(const Case& c) {
  const std::int64_t rows = c.shape[0], n = c.shape[1];
  const Buffer x(rows * n, 1), mask(n, 2), grad(rows * n, 3), out(rows * n);
  if (c.op == "softmax_fw")
    return each_row(out, rows, [=](std::int64_t r) {
      softmax_row(out.data() + r * n, x.data() + r * n, mask.data(), n);
    });
  const Buffer soft(rows * n), nothing(n);
  for (std::int64_t r = 0; r < rows; ++r)
    softmax_row(soft.data() + r * n, x.data() + r * n, nothing.data(), n);
  return each_row(out, rows, [=](std::int64_t r) {
    softmax_bw_row(out.data() + r * n, grad.data() + r * n, soft.data() + r * n, n);
  });
}

Work layernorm(const Case& c) {
  const std::int64_t rows = c.shape[0], n = c.shape[1];
  if (c.op == "ln_bw") return layernorm_bw(rows, n);
  const Buffer x(rows * n, 1), gamma(n, 2), beta(n, 3), out(rows * n);
  return each_row(out, rows, [=](std::int64_t r) {
    layernorm_row(out.data() + r * n, x.data() + r * n, gamma.data(), beta.data(), n);
  });
}

}  // namespace peers::hand
