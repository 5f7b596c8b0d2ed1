#include "hand.h"

namespace peers::hand {
namespace {

__m512d pairs(Vector v) { return _mm512_castps_pd(v); }

// y = x transposed, 16 x 16, through pairs, quadruples and halves of registers.
void transpose_tile(float* y, std::int64_t y_stride, const float* x, std::int64_t x_stride) {
  Vector r[16], t[16];
  for (int i = 0; i < 16; ++i) r[i] = load(x + i * x_stride);
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(pairs(t[i + j]), pairs(t[i + 2 + j])));
      r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(pairs(t[i + j]), pairs(t[i + 2 + j])));
    }
  for (int i = 0; i < 16; i += 8)
    for (int j = 0; j < 4; ++j) {
      t[i + j] = _mm512_shuffle_f32x4(r[i + j], r[i + 4 + j], 0x88);
      t[i + 4 + j] = _mm512_shuffle_f32x4(r[i + j], r[i + 4 + j], 0xdd);
    }
  for (int j = 0; j < 8; ++j) {
    r[j] = _mm512_shuffle_f32x4(t[j], t[8 + j], 0x88);
    r[8 + j] = _mm512_shuffle_f32x4(t[j], t[8 + j], 0xdd);
  }
  for (int i = 0; i < 16; ++i) store(y + i * y_stride, r[i]);
}

// A tile of y (columns x rows) = x (rows x columns) transposed, plus `add` where there is one.
void do_tile(float* y, const float* x, const float* add, std::int64_t rows, std::int64_t columns,
             std::int64_t row, std::int64_t column) {
  if (column + 16 <= columns && row + 16 <= rows) {
    transpose_tile(y + column * rows + row, rows, x + row * columns + column, columns);
    if (!add) return;
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::int64_t at = (column + i) * rows + row;
      store(y + at, _mm512_add_ps(load(y + at), load(add + at)));
    }
    return;
  }
  for (std::int64_t c = column; c < std::min(columns, column + 16); ++c)
    for (std::int64_t r = row; r < std::min(rows, row + 16); ++r)
      y[c * rows + r] = x[r * columns + c] + (add ? add[c * rows + r] : 0.0f);
}

// In blocks of 64 x 64, which the first cache holds.
void transpose(float* y, const float* x, const float* add, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t block = 64;
  in_rows((columns + block - 1) / block, rows * columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t cb = begin * block; cb < std::min(columns, end * block); cb += block)
      for (std::int64_t rb = 0; rb < rows; rb += block)
        for (std::int64_t c = cb; c < std::min(columns, cb + block); c += 16)
          for (std::int64_t r = rb; r < std::min(rows, rb + block); r += 16)
            do_tile(y, x, add, rows, columns, r, c);
  });
}

}  // namespace

Work transposed(const Case& c) {
  const std::int64_t rows = c.shape[0], columns = c.shape[1], n = rows * columns;
  const Buffer out(n);
  if (c.op == "copyT") {
    const Buffer a(n, 1);
    return work([=] { transpose(out.data(), a.data(), nullptr, rows, columns); }, out);
  }
  const Buffer a(n, 1), b(n, 2);
  return work([=] { transpose(out.data(), b.data(), a.data(), rows, columns); }, out);
}

}  // namespace peers::hand
