#pragma once

#include "math.cuh"
#include "pack.cuh"
#include "philox.cuh"

/// The distributions of ext/random.h. A thread makes a pack of four elements, of one block of words, or of two
/// where elements have 64 bits.
namespace kernels {

struct RandomArguments {
  void* out;
  int64_t count;
  int64_t packs;  // 0 where the address doesn't allow them
  uint64_t seed, offset;
  double a, b;
};

/// The words of a pack's elements.
template <int bytes> struct RandomWords {  // up to 4
  uint32_t of[pack_size];

  static TL_DEVICE RandomWords make(uint64_t seed, uint64_t offset, uint64_t pack) {
    const PhiloxBlock block = philox(seed, offset + pack);
    return {{block.word[0], block.word[1], block.word[2], block.word[3]}};
  }
};
template <> struct RandomWords<8> {
  uint64_t of[pack_size];

  static TL_DEVICE uint64_t pair(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }
  static TL_DEVICE RandomWords make(uint64_t seed, uint64_t offset, uint64_t pack) {
    const PhiloxBlock x = philox(seed, offset + 2 * pack), y = philox(seed, offset + 2 * pack + 1);
    return {{pair(x.word[0], x.word[1]), pair(x.word[2], x.word[3]), pair(y.word[0], y.word[1]),
             pair(y.word[2], y.word[3])}};
  }
};

/// Uniform in [0, 1): as many of the upper bits as the type holds exactly.
TL_DEVICE float unit(uint32_t word) { return static_cast<float>(word >> 8) * 5.9604644775390625e-8f; }
TL_DEVICE double unit(uint64_t word) {
  return static_cast<double>(word >> 11) * 1.1102230246251565404e-16;
}

template <class T> struct random_uniform {
  static TL_DEVICE Pack<T> make(const RandomWords<sizeof(T)>& words, const RandomArguments& g) {
    const T from = static_cast<T>(g.a), length = static_cast<T>(g.b) - from;
    Pack<T> pack;
    TL_UNROLL for (int j = 0; j < pack_size; ++j) pack.of[j] = from + length * unit(words.of[j]);
    return pack;
  }
};

TL_DEVICE float sin_pi(float x) {
#if TL_ON_DEVICE
  return sinpif(x);
#else
  return static_cast<float>(sin(3.14159265358979323846 * static_cast<double>(x)));
#endif
}
TL_DEVICE float cos_pi(float x) {
#if TL_ON_DEVICE
  return cospif(x);
#else
  return static_cast<float>(cos(3.14159265358979323846 * static_cast<double>(x)));
#endif
}
TL_DEVICE double sin_pi(double x) {
#if TL_ON_DEVICE
  return sinpi(x);
#else
  return static_cast<double>(sinl(3.14159265358979323846264338328L * static_cast<long double>(x)));
#endif
}
TL_DEVICE double cos_pi(double x) {
#if TL_ON_DEVICE
  return cospi(x);
#else
  return static_cast<double>(cosl(3.14159265358979323846264338328L * static_cast<long double>(x)));
#endif
}

/// By Box and Muller: 1 - u0 and 2 u1 are exact.
template <class T> struct random_normal {
  static TL_DEVICE Pack<T> make(const RandomWords<sizeof(T)>& words, const RandomArguments& g) {
    const T mean = static_cast<T>(g.a), deviation = static_cast<T>(g.b);
    Pack<T> pack;
    TL_UNROLL for (int j = 0; j < pack_size; j += 2) {
      const T radius = sqrt_of(T(-2) * log_of(T(1) - unit(words.of[j]))),
              turns = 2 * unit(words.of[j + 1]);
      pack.of[j] = mean + deviation * (radius * cos_pi(turns));
      pack.of[j + 1] = mean + deviation * (radius * sin_pi(turns));
    }
    return pack;
  }
};

template <class T> struct random_integer {
  static TL_DEVICE Pack<T> make(const RandomWords<8>& words, const RandomArguments& g) {
    const uint64_t from = static_cast<uint64_t>(to_int64(g.a)),
                   count = static_cast<uint64_t>(to_int64(g.b)) - from;
    Pack<T> pack;
    TL_UNROLL for (int j = 0; j < pack_size; ++j) pack.of[j] = int_of(from + words.of[j] % count);
    return pack;
  }
};

template <class T> struct random_bernoulli {
  static TL_DEVICE Pack<T> make(const RandomWords<sizeof(T) == 8 ? 8 : 4>& words,
                                const RandomArguments& g) {
    Pack<T> pack;
    TL_UNROLL for (int j = 0; j < pack_size; ++j) pack.of[j] =
        Constant<T>::of(static_cast<double>(unit(words.of[j])) < g.a);
    return pack;
  }
};

#if TL_ON_DEVICE

template <class Draw, class T> TL_DEVICE void fill_random(const RandomArguments& g) {
  using Made = RandomWords<sizeof(T) == 8 ? 8 : 4>;
  T* const out = static_cast<T*>(g.out);
  for (int64_t i = first_index(); i * pack_size < g.count; i += index_step()) {
    const Pack<T> pack = Draw::make(Made::make(g.seed, g.offset, static_cast<uint64_t>(i)), g);
    if (i < g.packs) {
      store_pack(out + i * pack_size, pack);
    } else {
      TL_UNROLL for (int j = 0; j < pack_size; ++j) if (i * pack_size + j < g.count)
          out[i * pack_size + j] = pack.of[j];
    }
  }
}

#endif

}  // namespace kernels
