#pragma once

#include "kernels/matmul_finish.h"
#include "parallel.h"

/// int64, modulo 2^64. Rare: simple loops, in the order that reads rows of B.
namespace cpu_simd::TL_ISA {

inline void integer_row(const MatmulProblem& p, Kernel activation, int64_t entry,
                        int64_t row) noexcept {
  const auto* a =
      reinterpret_cast<const uint64_t*>(p.a.data) + batch_offset(p, p.a, entry) + row * p.a.row;
  const auto* b = reinterpret_cast<const uint64_t*>(p.b.data) + batch_offset(p, p.b, entry);
  auto* out = reinterpret_cast<uint64_t*>(p.out.data) + batch_offset(p, p.out, entry) + row * p.out.row;
  const auto alpha = static_cast<uint64_t>(static_cast<int64_t>(p.alpha));
  const auto beta = static_cast<uint64_t>(static_cast<int64_t>(p.beta));
  for (int64_t j = 0; j < p.n; ++j) {
    uint64_t& to = out[j * p.out.column];
    to = beta == 0 ? 0 : beta * to;
    if (p.has_bias) {
      const auto* bias =
          reinterpret_cast<const uint64_t*>(p.bias.data) + batch_offset(p, p.bias, entry);
      to += bias[row * p.bias.row + j * p.bias.column];
    }
  }
  for (int64_t k = 0; k < p.k; ++k) {
    const uint64_t factor = alpha * a[k * p.a.column];
    for (int64_t j = 0; j < p.n; ++j) out[j * p.out.column] += factor * b[k * p.b.row + j * p.b.column];
  }
  if (!activation) return;
  for (int64_t j = 0; j < p.n; ++j) activate(activation, out + j * p.out.column, 1);
}

inline void run_integer(const MatmulProblem& p) noexcept {
  const double row_work = 2.0 * double(p.n) * double(p.k) + 1;
  const int64_t grain = 1 + static_cast<int64_t>((1 << 20) / row_work);
  const Kernel activation = find_activation(p.activation, Type::int64);
  parallel_ranges(p.batches * p.m, grain, [&](int64_t begin, int64_t end) noexcept {
    for (int64_t i = begin; i < end; ++i) integer_row(p, activation, i / p.m, i % p.m);
  });
}

}  // namespace cpu_simd::TL_ISA
