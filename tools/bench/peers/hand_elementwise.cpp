#include <sys/mman.h>

#include "hand.h"

namespace peers::hand {

Buffer::Buffer(std::int64_t n, int stream) : size_(n) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  std::size_t bytes = (static_cast<std::size_t>(n) * sizeof(float) + 63) / 64 * 64;
  const bool large = bytes >= 2 * huge_page;
  if (large) bytes = (bytes + huge_page - 1) / huge_page * huge_page;
  data_.reset(static_cast<float*>(std::aligned_alloc(large ? huge_page : 64, bytes)), std::free);
  if (large) madvise(data(), bytes, MADV_HUGEPAGE);
  std::fill(begin(), end(), 0.0f);
  if (stream > 0) fill(data(), n, stream);
}

namespace {

// Results beyond the cache go around it.
constexpr std::int64_t streamed_from = (16 << 20) / 4;

template <class F> void map_one(const Buffer& out, const Buffer& a, F f) {
  const bool streamed = out.size() > streamed_from;
  in_parts(out.size(), [&](std::int64_t begin, std::int64_t end) {
    float* y = out.data();
    const float* x = a.data();
    std::int64_t i = begin;
    if (streamed)
      for (; i + width <= end; i += width) _mm512_stream_ps(y + i, f(load(x + i)));
    for (; i + 2 * width <= end; i += 2 * width) {
      const Vector first_half = f(load(x + i)), second_half = f(load(x + i + width));
      store(y + i, first_half);
      store(y + i + width, second_half);
    }
    for (; i < end; i += width) store(y + i, f(load(x + i, end - i)), end - i);
    _mm_sfence();
  });
}

template <class F> void map_two(const Buffer& out, const Buffer& a, const Buffer& b, F f) {
  const bool streamed = out.size() > streamed_from;
  in_parts(out.size(), [&](std::int64_t begin, std::int64_t end) {
    float* y = out.data();
    std::int64_t i = begin;
    if (streamed)
      for (; i + width <= end; i += width)
        _mm512_stream_ps(y + i, f(load(a.data() + i), load(b.data() + i)));
    for (; i + width <= end; i += width) store(y + i, f(load(a.data() + i), load(b.data() + i)));
    if (i < end) store(y + i, f(load(a.data() + i, end - i), load(b.data() + i, end - i)), end - i);
    _mm_sfence();
  });
}

template <class F> Work one_input(const Case& c, F f) {
  const Buffer out(numel(c.shape)), a(numel(c.shape), 1);
  return work([=] { map_one(out, a, f); }, out);
}

template <class F> Work two_inputs(const Case& c, F f) {
  const std::int64_t n = numel(c.shape);
  const Buffer out(n), a(n, 1), b(n, 2);
  return work([=] { map_two(out, a, b, f); }, out);
}

Work chain(const Case& c) {
  const std::int64_t n = numel(c.shape);
  const Buffer out(n), a(n, 1), b(n, 2), d(n, 3);
  return work(
      [=] {
        in_parts(n, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; i += width) {
            const std::int64_t left = end - i;
            const Vector x = load(a.data() + i, left);
            const Vector inner = _mm512_fmadd_ps(x, load(b.data() + i, left), load(d.data() + i, left));
            store(out.data() + i, _mm512_mul_ps(tanh(inner), x), left);
          }
        });
      },
      out);
}

// One row of x plus a row, or plus a number.
template <class Addend>
void add_to_row(float* y, const float* x, std::int64_t n, bool streamed, Addend addend) {
  std::int64_t i = 0;
  if (streamed)
    for (; i + width <= n; i += width)
      _mm512_stream_ps(y + i, _mm512_add_ps(load(x + i), addend(i, width)));
  for (; i < n; i += width) store(y + i, _mm512_add_ps(load(x + i, n - i), addend(i, n - i)), n - i);
}

Work add_broadcast(const Case& c, bool row) {
  const std::int64_t rows = c.shape[0], columns = c.shape[1], n = rows * columns;
  const Buffer out(n), a(n, 1), b(row ? columns : rows, 2);
  const bool streamed = n > streamed_from && columns % width == 0;
  return work(
      [=] {
        in_rows(rows, n, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r) {
            float* y = out.data() + r * columns;
            const float* x = a.data() + r * columns;
            if (row)
              add_to_row(y, x, columns, streamed,
                         [&](std::int64_t i, std::int64_t left) { return load(b.data() + i, left); });
            else
              add_to_row(y, x, columns, streamed,
                         [&](std::int64_t, std::int64_t) { return all(b.data()[r]); });
          }
          _mm_sfence();
        });
      },
      out);
}

Work add_strided(const Case& c) {
  const std::int64_t n = numel(c.shape);
  const Buffer out(n), a(2 * n, 1), b(n, 2);
  return work(
      [=] {
        const __m512i even =
            _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        in_parts(n, [&](std::int64_t begin, std::int64_t end) {
          const float* x = a.data();
          std::int64_t i = begin;
          for (; i + width <= end; i += width) {
            const Vector picked =
                _mm512_permutex2var_ps(load(x + 2 * i), even, load(x + 2 * i + width));
            store(out.data() + i, _mm512_add_ps(picked, load(b.data() + i)));
          }
          for (; i < end; ++i) out.data()[i] = x[2 * i] + b.data()[i];
        });
      },
      out);
}

}  // namespace

Work elementwise(const Case& c) {
  if (c.op == "exp") return one_input(c, [](Vector x) { return exp(x); });
  if (c.op == "sigmoid") return one_input(c, [](Vector x) { return sigmoid(x); });
  if (c.op == "tanh") return one_input(c, [](Vector x) { return tanh(x); });
  if (c.op == "gelu") return one_input(c, [](Vector x) { return gelu(x); });
  if (c.op == "add") return two_inputs(c, [](Vector x, Vector y) { return _mm512_add_ps(x, y); });
  if (c.op == "mul") return two_inputs(c, [](Vector x, Vector y) { return _mm512_mul_ps(x, y); });
  if (c.op == "chain") return chain(c);
  if (c.op == "addrow" || c.op == "addcol") return add_broadcast(c, c.op == "addrow");
  if (c.op == "addstr") return add_strided(c);
  return {};
}

}  // namespace peers::hand
