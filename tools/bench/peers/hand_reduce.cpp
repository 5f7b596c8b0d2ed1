#include "hand.h"

namespace peers::hand {
namespace {

struct Sum {
  static constexpr float start = 0;
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static float total(Vector v) { return _mm512_reduce_add_ps(v); }
  static float add(float a, float b) { return a + b; }
};

struct Max {
  static constexpr float start = -infinity;
  static Vector add(Vector a, Vector b) { return _mm512_max_ps(a, b); }
  static float total(Vector v) { return _mm512_reduce_max_ps(v); }
  static float add(float a, float b) { return std::max(a, b); }
};

template <class Op> float along(const float* x, std::int64_t n) {
  Vector parts[4] = {all(Op::start), all(Op::start), all(Op::start), all(Op::start)};
  std::int64_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width)
    for (int k = 0; k < 4; ++k) parts[k] = Op::add(parts[k], load(x + i + k * width));
  Vector sum = Op::add(Op::add(parts[0], parts[1]), Op::add(parts[2], parts[3]));
  for (; i < n; i += width) sum = Op::add(sum, load(x + i, n - i, all(Op::start)));
  return Op::total(sum);
}

template <class Op> float over_all(const float* x, std::int64_t n) {
  const int count = n < worth_threads ? 1 : std::min(threads(), 64);
  float parts[64];
#pragma omp parallel num_threads(count) if (count > 1)
  {
    const std::int64_t i = omp_get_thread_num(), begin = n * i / count;
    parts[i] = along<Op>(x + begin, n * (i + 1) / count - begin);
  }
  float result = Op::start;
  for (int i = 0; i < count; ++i) result = Op::add(result, parts[i]);
  return result;
}

// Down `extent` rows of `inner` columns, of which those of one panel stay in registers.
constexpr std::int64_t panel = 16 * width;

template <class Op>
void down(float* y, const float* x, std::int64_t extent, std::int64_t inner, std::int64_t columns) {
  Vector sums[16];
  std::fill(sums, sums + 16, all(Op::start));
  for (std::int64_t i = 0; i < extent; ++i, x += inner)
    if (columns == panel)
      for (int k = 0; k < 16; ++k) sums[k] = Op::add(sums[k], load(x + k * width));
    else
      for (std::int64_t k = 0; k * width < columns; ++k)
        sums[k] = Op::add(sums[k], load(x + k * width, columns - k * width));
  for (std::int64_t k = 0; k * width < columns; ++k) store(y + k * width, sums[k], columns - k * width);
}

template <class Op> Work reduce(const Case& c) {
  const std::int64_t n = numel(c.shape);
  const Buffer x(n, 1);
  if (c.detail < 0) {
    const Buffer out(1);
    return work([=] { *out.data() = over_all<Op>(x.data(), n); }, out);
  }
  const auto axis = c.shape.begin() + c.detail;
  const std::int64_t outer = numel({c.shape.begin(), axis}), extent = *axis;
  const std::int64_t inner = numel({axis + 1, c.shape.end()});
  const Buffer out(outer * inner);
  if (inner == 1)
    return work(
        [=] {
          in_rows(outer, n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
              out.data()[i] = along<Op>(x.data() + i * extent, extent);
          });
        },
        out);
  const std::int64_t panels = (inner + panel - 1) / panel;
  return work(
      [=] {
        in_rows(outer * panels, n, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t o = i / panels, column = i % panels * panel;
            down<Op>(out.data() + o * inner + column, x.data() + o * extent * inner + column, extent,
                     inner, std::min(panel, inner - column));
          }
        });
      },
      out);
}

}  // namespace

Work reduction(const Case& c) { return c.op == "sum" ? reduce<Sum>(c) : reduce<Max>(c); }

}  // namespace peers::hand
