#pragma once

#include "pack.cuh"

/// The two forms of every map and zip.
///   flat      all operands lie without gaps, in one order (or are one element): packs, then the rest
///   strided   any strides; neighbouring threads write neighbouring elements
namespace kernels {

struct FlatArguments {
  void* out;
  const void* in[3];
  int64_t count;
  int64_t packs;    // 0 where an address doesn't allow packs
  int32_t step[3];  // 1, or 0: one element for all
  int32_t reserved;
  double params[2];
};

struct StridedArguments {
  void* out;
  const void* in[3];
  double params[2];
  Nest<4> nest;  // of the output and the inputs
};

#if TL_ON_DEVICE

/// An input of either form. None costs nothing.
template <class T> struct Source {
  const T* data;
  int32_t step;

  TL_DEVICE Source(const void* at, int32_t each) : data(static_cast<const T*>(at)), step(each) {}
  TL_DEVICE T operator[](int64_t i) const { return data[i]; }
  TL_DEVICE Pack<T> pack(int64_t i) const {
    if (step) return load_pack(data + i * pack_size);
    Pack<T> pack;
    TL_UNROLL for (int j = 0; j < pack_size; ++j) pack.of[j] = data[0];
    return pack;
  }
};
template <> struct Source<None> {
  static constexpr int32_t step = 0;

  TL_DEVICE Source(const void*, int32_t) {}
  TL_DEVICE None operator[](int64_t) const { return None(); }
  TL_DEVICE Pack<None> pack(int64_t) const { return Pack<None>(); }
};

/// F::apply(x, y, z, a, b), each input of its own type, the parameters of type P.
template <class F, class X, class Y, class Z, class P> struct Elementwise {
  using Result = decltype(F::apply(X(), Y(), Z(), P(), P()));
  using Out = typename Stored<Result>::Type;

  static TL_DEVICE Out apply(X x, Y y, Z z, P a, P b) {
    return Stored<Result>::of(F::apply(x, y, z, a, b));
  }

  static TL_DEVICE void flat(const FlatArguments& g) {
    const Source<X> x(g.in[0], g.step[0]);
    const Source<Y> y(g.in[1], g.step[1]);
    const Source<Z> z(g.in[2], g.step[2]);
    const P a = Constant<P>::of(g.params[0]), b = Constant<P>::of(g.params[1]);
    Out* const out = static_cast<Out*>(g.out);
    for (int64_t i = first_index(); i < g.packs; i += index_step()) {
      const Pack<X> xs = x.pack(i);
      const Pack<Y> ys = y.pack(i);
      const Pack<Z> zs = z.pack(i);
      Pack<Out> result;
      TL_UNROLL for (int j = 0; j < pack_size; ++j) result.of[j] =
          apply(xs.of[j], ys.of[j], zs.of[j], a, b);
      store_pack(out + i * pack_size, result);
    }
    for (int64_t i = g.packs * pack_size + first_index(); i < g.count; i += index_step())
      out[i] = apply(x[i * x.step], y[i * y.step], z[i * z.step], a, b);
  }

  static TL_DEVICE void strided(const StridedArguments& g) {
    const Source<X> x(g.in[0], 0);
    const Source<Y> y(g.in[1], 0);
    const Source<Z> z(g.in[2], 0);
    const P a = Constant<P>::of(g.params[0]), b = Constant<P>::of(g.params[1]);
    Out* const out = static_cast<Out*>(g.out);
    for (int64_t i = first_index(); i < g.nest.count; i += index_step()) {
      const Offsets<4> at = offsets_of(g.nest, i);
      out[at.of[0]] = apply(x[at.of[1]], y[at.of[2]], z[at.of[3]], a, b);
    }
  }
};

#endif

}  // namespace kernels

/// TL_ELEMENTWISE(name, F, X, Y, Z, P): the kernels name_flat and name_strided, or that of TL_SELECT_FORM.
#define TL_ELEMENTWISE_flat(name, ...)                         \
  TL_KERNEL(TL_JOIN(name, _flat), kernels::FlatArguments, 256, \
            kernels::Elementwise<__VA_ARGS__>::flat(arguments))
#define TL_ELEMENTWISE_strided(name, ...)                            \
  TL_KERNEL(TL_JOIN(name, _strided), kernels::StridedArguments, 256, \
            kernels::Elementwise<__VA_ARGS__>::strided(arguments))
#if defined(TL_SELECT_FORM)
#define TL_ELEMENTWISE(name, ...) TL_JOIN(TL_ELEMENTWISE_, TL_SELECT_FORM)(name, __VA_ARGS__)
#else
#define TL_ELEMENTWISE(name, ...) \
  TL_ELEMENTWISE_flat(name, __VA_ARGS__) TL_ELEMENTWISE_strided(name, __VA_ARGS__)
#endif
