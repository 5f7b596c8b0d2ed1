#pragma once

#include "index.cuh"
#include "types.cuh"

/// Four elements that lie side by side, read and written as machine words of up to 16 bytes.
namespace kernels {

constexpr int pack_size = 4;

template <class T> struct Pack { T of[pack_size]; };

#if TL_ON_DEVICE

template <int bytes> struct Word;
template <> struct Word<4> { using Type = uint32_t; };
template <> struct Word<8> { using Type = uint2; };
template <> struct Word<16> { using Type = uint4; };

template <class T> struct PackWords {
  static constexpr int bytes = pack_size * sizeof(T), words = bytes > 16 ? bytes / 16 : 1;
  using Type = typename Word<bytes / words>::Type;
  union Both {
    Type word[words];
    T of[pack_size];
  };
};

/// From or to an address that is a multiple of the word.
template <class T> TL_DEVICE Pack<T> load_pack(const T* from) {
  using Words = PackWords<T>;
  typename Words::Both both;
  Pack<T> pack;
  TL_UNROLL for (int w = 0; w < Words::words; ++w) both.word[w] =
      reinterpret_cast<const typename Words::Type*>(from)[w];
  TL_UNROLL for (int j = 0; j < pack_size; ++j) pack.of[j] = both.of[j];
  return pack;
}

template <class T> TL_DEVICE void store_pack(T* to, const Pack<T>& pack) {
  using Words = PackWords<T>;
  typename Words::Both both;
  TL_UNROLL for (int j = 0; j < pack_size; ++j) both.of[j] = pack.of[j];
  TL_UNROLL for (int w = 0; w < Words::words; ++w) reinterpret_cast<typename Words::Type*>(to)[w] =
      both.word[w];
}

#endif

}  // namespace kernels
