#include "kernels/math.h"
#include "kernels/philox.h"
#include "kernels/registers.h"
#include "kernels/views.h"
#include "parallel.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

/// Elements that sixteen blocks make: four of 4 bytes or two of 8 from each.
template <class T> constexpr int64_t batch = philox_blocks*(sizeof(T) == 8 ? 2 : 4);

/// Uniform in [0, 1): as many of the upper bits as T holds exactly.
template <class T> CPU_SIMD_INLINE T unit(const PhiloxWords& words, int64_t i) noexcept {
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(static_cast<int32_t>(short_word(words, i) >> 8)) * T(0x1p-24);
  else
    return static_cast<T>(static_cast<int64_t>(long_word(words, i) >> 11)) * T(0x1p-53);
}

template <class T> struct Uniform {
  T from, length;
  explicit Uniform(const tl_random_args& args) noexcept
      : from(static_cast<T>(args.params[0])), length(static_cast<T>(args.params[1]) - from) {}

  void operator()(const PhiloxWords& words, T* out) const noexcept {
    for (int64_t i = 0; i < batch<T>; ++i) out[i] = from + length * unit<T>(words, i);
  }
};

/// Taylor's series of sin and cos, in x², for |x| ≤ π/4.
template <class T> CPU_SIMD_INLINE Vec<T> sin_small(const Vec<T>& x) noexcept {
  const Vec<T> square = x * x;
  if constexpr (sizeof(T) == 4) {
    static constexpr T c[] = {-1.0f / 6, 1.0f / 120, -1.0f / 5040, 1.0f / 362880};
    return fma(x * square, polynomial(square, c), x);
  } else {
    static constexpr T c[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,         1.0 / 362880,
                              -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
    return fma(x * square, polynomial(square, c), x);
  }
}

template <class T> CPU_SIMD_INLINE Vec<T> cos_small(const Vec<T>& x) noexcept {
  const Vec<T> square = x * x;
  if constexpr (sizeof(T) == 4) {
    static constexpr T c[] = {-1.0f / 2, 1.0f / 24, -1.0f / 720, 1.0f / 40320, -1.0f / 3628800};
    return fma(square, polynomial(square, c), splat(T(1)));
  } else {
    static constexpr T c[] = {
        -1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
        -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    return fma(square, polynomial(square, c), splat(T(1)));
  }
}

/// Two normal numbers from two uniform ones. u1 is taken apart before it is multiplied by 2π: quarters
/// of a turn are exact, and what is left is small enough for its rounding not to show.
template <class T>
CPU_SIMD_INLINE void box_muller(const Vec<T>& u0, const Vec<T>& u1, Vec<T>& z0, Vec<T>& z1) noexcept {
  const Vec<T> zero = splat(T(0)), one = splat(T(1));
  const Vec<T> radius = sqrt_of(splat(T(-2)) * log_of(one - u0));
  const Vec<T> quarters = round_small(u1 * splat(T(4)));  // 0 … 4
  const Vec<T> angle = (u1 - quarters * splat(T(0.25))) * splat(T(6.283185307179586476925));
  const Vec<T> s = sin_small(angle), c = cos_small(angle);
  const Mask<T> first = quarters == one, second = quarters == splat(T(2)),
                third = quarters == splat(T(3));
  const Vec<T> cosine = select<T>(first, zero - s, select<T>(second, zero - c, select<T>(third, s, c)));
  const Vec<T> sine = select<T>(first, c, select<T>(second, zero - s, select<T>(third, zero - c, s)));
  z0 = radius * cosine;
  z1 = radius * sine;
}

template <class T> struct Normal {
  T mean, deviation;
  explicit Normal(const tl_random_args& args) noexcept
      : mean(static_cast<T>(args.params[0])), deviation(static_cast<T>(args.params[1])) {}

  void operator()(const PhiloxWords& words, T* out) const noexcept {
    constexpr int64_t pairs = batch<T> / 2;
    alignas(64) T u0[pairs], u1[pairs];
    for (int64_t i = 0; i < pairs; ++i) {
      u0[i] = unit<T>(words, 2 * i);
      u1[i] = unit<T>(words, 2 * i + 1);
    }
    for (int64_t i = 0; i < pairs; i += lanes<T>) {
      Vec<T> z0, z1;
      box_muller<T>(load(u0 + i), load(u1 + i), z0, z1);
      store(u0 + i, splat(mean) + splat(deviation) * z0);
      store(u1 + i, splat(mean) + splat(deviation) * z1);
    }
    for (int64_t i = 0; i < pairs; ++i) {
      out[2 * i] = u0[i];
      out[2 * i + 1] = u1[i];
    }
  }
};

struct Integer {
  uint64_t from, count;
  explicit Integer(const tl_random_args& args) noexcept
      : from(static_cast<uint64_t>(static_cast<int64_t>(args.params[0]))),
        count(static_cast<uint64_t>(static_cast<int64_t>(args.params[1])) - from) {}

  void operator()(const PhiloxWords& words, uint64_t* out) const noexcept {
    for (int64_t i = 0; i < batch<uint64_t>; ++i) out[i] = from + long_word(words, i) % count;
  }
};

/// T: the output's type; bool is a byte that takes its words as float32 does.
template <class T> struct Bernoulli {
  using Unit = std::conditional_t<sizeof(T) == 8, double, float>;
  double probability;
  explicit Bernoulli(const tl_random_args& args) noexcept : probability(args.params[0]) {}

  void operator()(const PhiloxWords& words, T* out) const noexcept {
    for (int64_t i = 0; i < batch<T>; ++i)
      out[i] = static_cast<T>(static_cast<double>(unit<Unit>(words, i)) < probability);
  }
};

/// make(words, out) makes a whole batch.
template <class T, class Make> void fill_with(const tl_random_args& args, const Make& make) noexcept {
  T* const out = data_of<T>(*args.output);
  parallel_ranges(count_of(*args.output), 256 * batch<T>, [&](int64_t begin, int64_t end) noexcept {
    for (int64_t i = begin; i < end; i += batch<T>) {
      PhiloxWords words;
      philox(args.seed, args.offset + static_cast<uint64_t>(i / batch<T> * philox_blocks), words);
      if (end - i >= batch<T>) {
        make(words, out + i);
      } else {
        alignas(64) T last[batch<T>];
        make(words, last);
        for (int64_t j = i; j < end; ++j) out[j] = last[j - i];
      }
    }
  });
}

template <class T> void fill_real(const tl_random_args& args) noexcept {
  switch (args.distribution) {
    case TL_RANDOM_UNIFORM: return fill_with<T>(args, Uniform<T>(args));
    case TL_RANDOM_NORMAL: return fill_with<T>(args, Normal<T>(args));
    default: return fill_with<T>(args, Bernoulli<T>(args));
  }
}

int32_t random(const tl_random_args& args, tl_error*) noexcept {
  switch (dtype_key(args.output->dtype)) {
    case key_float32: fill_real<float>(args); break;
    case key_float64: fill_real<double>(args); break;
    case key_bool: fill_with<uint8_t>(args, Bernoulli<uint8_t>(args)); break;
    default: fill_with<uint64_t>(args, Integer(args)); break;
  }
  return TL_OK;
}

}  // namespace

void add_random(KernelSet& set) noexcept { set.random = random; }

}  // namespace cpu_simd::TL_ISA
