#pragma once

#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "peers.h"

/// What the parts of the contestant "hand" share: short AVX-512 loops, as anyone would write them by hand,
/// with preallocated results. A yardstick of what is easily reached, not a library.
namespace peers::hand {

using Vector = __m512;
constexpr std::int64_t width = 16;
constexpr float infinity = std::numeric_limits<float>::infinity();

// ---- buffers

/// Memory of huge pages where it is large.
class Buffer {
 public:
  explicit Buffer(std::int64_t n, int stream = 0);
  float* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  float* begin() const { return data(); }
  float* end() const { return data() + size_; }

 private:
  std::int64_t size_;
  std::shared_ptr<float[]> data_;
};

inline Work work(std::function<void()> run, const Buffer& result) {
  return {std::move(run), [result] { return probe(result.data(), result.size()); }};
}

// ---- threads

inline int& threads() {
  static int count = 1;
  return count;
}

constexpr std::int64_t worth_threads = 32768;  // elements

/// f(begin, end) on parts of 0 … n, cut at multiples of the vector width.
template <class F> void in_parts(std::int64_t n, F f) {
  const int count = n < worth_threads ? 1 : threads();
  if (count == 1) return f(std::int64_t{0}, n);
#pragma omp parallel num_threads(count)
  {
    const std::int64_t i = omp_get_thread_num();
    const std::int64_t begin = n * i / count / width * width;
    f(begin, i + 1 == count ? n : n * (i + 1) / count / width * width);
  }
}

/// f(begin, end) on parts of the rows.
template <class F> void in_rows(std::int64_t rows, std::int64_t elements, F f) {
  const int count = elements < worth_threads ? 1 : threads();
  if (count == 1) return f(std::int64_t{0}, rows);
#pragma omp parallel num_threads(count)
  {
    const std::int64_t i = omp_get_thread_num();
    f(rows * i / count, rows * (i + 1) / count);
  }
}

// ---- vectors

inline Vector all(float value) { return _mm512_set1_ps(value); }
inline Vector load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }

/// The first `n` of a vector; the others are `other`, or left alone.
inline __mmask16 first(std::int64_t n) {
  return static_cast<__mmask16>((1u << std::min(n, width)) - 1);
}
inline Vector load(const float* p, std::int64_t n, Vector other = _mm512_setzero_ps()) {
  return _mm512_mask_loadu_ps(other, first(n), p);
}
inline void store(float* p, Vector v, std::int64_t n) { _mm512_mask_storeu_ps(p, first(n), v); }

inline Vector exp(Vector x) {
  x = _mm512_max_ps(_mm512_min_ps(x, all(88.72f)), all(-87.33f));
  const Vector n = _mm512_roundscale_ps(_mm512_mul_ps(x, all(1.44269504089f)), 8);
  Vector r = _mm512_fnmadd_ps(n, all(0.693359375f), x);
  r = _mm512_fnmadd_ps(n, all(-2.12194440e-4f), r);
  Vector p = all(1.9875691500e-4f);
  for (const float coefficient :
       {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
    p = _mm512_fmadd_ps(p, r, all(coefficient));
  p = _mm512_fmadd_ps(_mm512_mul_ps(p, r), r, _mm512_add_ps(r, all(1)));
  return _mm512_scalef_ps(p, n);
}

/// 1 / (1 + exp(-x)), the quotient by one Newton step.
inline Vector sigmoid(Vector x) {
  const Vector below = _mm512_add_ps(all(1), exp(_mm512_sub_ps(_mm512_setzero_ps(), x)));
  const Vector guess = _mm512_rcp14_ps(below);
  return _mm512_mul_ps(guess, _mm512_fnmadd_ps(below, guess, all(2)));
}
inline Vector tanh(Vector x) { return _mm512_fmsub_ps(all(2), sigmoid(_mm512_add_ps(x, x)), all(1)); }
inline Vector gelu(Vector x) {
  const Vector cube = _mm512_mul_ps(_mm512_mul_ps(x, x), x);
  const Vector inner = _mm512_fmadd_ps(cube, all(0.044715f), x);
  return _mm512_mul_ps(x, sigmoid(_mm512_mul_ps(inner, all(2 * 0.7978845608f))));
}

// ---- the parts

Work elementwise(const Case& c);
Work transposed(const Case& c);
Work reduction(const Case& c);
Work softmax(const Case& c);
Work layernorm(const Case& c);

}  // namespace peers::hand
