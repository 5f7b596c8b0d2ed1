#include <torchlight/ext/random.h>

#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

constexpr int rounds = 10;

std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }

/// The random words of the output's element i.
class Words {
 public:
  Words(const RandomOptions& options, Dtype dtype)
      : options_(options), wide_(dtype == Dtype::float64 || dtype == Dtype::int64) {}

  bool wide() const { return wide_; }
  std::uint64_t word(std::uint64_t i) const {
    const std::uint64_t per_block = wide_ ? 2 : 4;
    const std::uint64_t n = options_.offset + i / per_block;
    const auto block = philox({low(n), high(n), 0, 0}, {low(options_.seed), high(options_.seed)});
    const std::size_t k = i % per_block;
    return wide_ ? std::uint64_t{block[2 * k + 1]} << 32 | block[2 * k] : block[k];
  }
  Real uniform(std::uint64_t i) const {
    return wide_ ? std::ldexp(static_cast<Real>(word(i) >> 11), -53)
                 : std::ldexp(static_cast<Real>(word(i) >> 8), -24);
  }

 private:
  RandomOptions options_;
  bool wide_;
};

Scalar uniform(const Words& words, Dtype dtype, std::uint64_t i, Real a, Real b) {
  const Real u = words.uniform(i);
  if (a == 0 && b == 1) return exactly(u);
  return {a + (b - a) * u, 2 * spacing(dtype, std::fabs(a) + std::fabs(b))};
}

/// By Box and Muller from the pair that i belongs to. The bound is relative to the pair's radius.
Scalar normal(const Words& words, Dtype dtype, std::uint64_t i, Real a, Real b) {
  const std::uint64_t even = i / 2 * 2;
  const Real radius = std::sqrt(-2 * std::log1p(-words.uniform(even)));
  const Real angle = 2 * std::acos(Real(-1)) * words.uniform(even + 1);
  const Real z = radius * (i % 2 ? std::sin(angle) : std::cos(angle));
  const Real scaling = a == 0 && b == 1 ? 0 : 2 * spacing(dtype, std::fabs(a) + std::fabs(b * z));
  return {a + b * z, 4 * spacing(dtype, radius) * std::fabs(b) + scaling};
}

Scalar draw(std::uint32_t distribution, const Words& words, Dtype dtype, std::uint64_t i,
            const RandomOptions& options) {
  const Real a = options.a, b = options.b;
  switch (distribution) {
    case TL_RANDOM_UNIFORM: return uniform(words, dtype, i, a, b);
    case TL_RANDOM_NORMAL: return normal(words, dtype, i, a, b);
    case TL_RANDOM_BERNOULLI: return exactly(words.uniform(i) < a);
    case TL_RANDOM_INTEGER: {
      const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(options.b - options.a));
      return exactly(a + static_cast<Real>(words.word(i) % range));
    }
    default: no_reference("random", distribution);
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53u} * counter[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57u} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9e3779b9u;
    key[1] += 0xbb67ae85u;
  }
  return counter;
}

Result random(std::uint32_t distribution, Dtype dtype, const Shape& shape,
              const RandomOptions& options) {
  Result result(dtype, shape);
  const Words words(options, dtype);
  for (std::size_t i = 0; i < result.value.size(); ++i) {
    const Scalar r = draw(distribution, words, dtype, i, options);
    result.set(i, r.value, r.tolerance);
  }
  return result;
}

Result gather(const Array& source, const Array& index, std::uint32_t axis) {
  Result result(source.dtype, index.shape);
  result.signs_of_zero = is_float(source.dtype);
  if (result.value.empty()) return result;
  Shape at(index.shape.size(), 0);
  std::size_t i = 0;
  do {
    Shape from = at;
    from[axis] = static_cast<std::int64_t>(index.at[i]);
    result.set(i++, source.at[place(from, source.shape)], 0);
  } while (advance(at, index.shape));
  return result;
}

/// In row-major order of the index, each sum rounded to the dtype: the bits are fixed.
Result scatter_add(const Array& source, const Array& index, const Array& output, std::uint32_t axis) {
  Result result(output.dtype, output.shape);
  result.value = output.at;
  if (source.at.empty()) return result;
  Shape at(source.shape.size(), 0);
  std::size_t i = 0;
  do {
    Shape to = at;
    to[axis] = static_cast<std::int64_t>(index.at[i]);
    Real& target = result.value[place(to, output.shape)];
    target = zip(TL_ZIP_add, output.dtype, target, source.at[i++], 0, {}).value;
  } while (advance(at, source.shape));
  return result;
}

}  // namespace torchlight::test::reference
