#pragma once

#include "activation.cuh"
#include "convert.cuh"
#include "index.cuh"

/// output = activation(alpha a b + beta output + bias): what all its kernels share. Where the output gives too few
/// blocks to fill the device, k is cut into slices, whose sums are kept apart and joined in order.
namespace kernels {

struct MatmulOperand {
  void* data;
  int64_t row, column;  // strides
  int32_t packs;        // neighbours along the unit stride may be read or written four at a time
  int32_t reserved;
};

struct MatmulArguments {
  MatmulOperand a, b, out, bias;
  void* partial;  // slices × batches × m × n, where there is more than one slice
  int64_t m, n, k;
  int64_t slice;  // of k
  int64_t slices;
  double alpha, beta;
  uint32_t activation;
  int32_t reserved;
  Nest<4> batch;  // of a, b, output and bias
};

/// In: the type of a and b, Sum: what is added up in, Out: the output's.
template <class In> struct SumOfProducts { using Type = In; };
template <> struct SumOfProducts<Half> { using Type = float; };
template <> struct SumOfProducts<BHalf> { using Type = float; };

/// An element in the type that is added up in, and back.
template <class T> TL_DEVICE T widened(T x) { return x; }
TL_DEVICE float widened(Half x) { return to_float(x); }
TL_DEVICE float widened(BHalf x) { return to_float(x); }
template <class Out> struct Narrowed {
  static TL_DEVICE Out of(Out x) { return x; }
};
template <> struct Narrowed<Half> {
  static TL_DEVICE Half of(float x) { return to_float16(x); }
};
template <> struct Narrowed<BHalf> {
  static TL_DEVICE BHalf of(float x) { return to_bfloat16(x); }
};

#if TL_ON_DEVICE

/// What follows the sum of one element.
template <class Sum, class Out> struct Finish {
  const MatmulArguments& g;
  Out* out;
  const Out* bias;
  Sum alpha, beta;
  bool reads;

  TL_DEVICE Finish(const MatmulArguments& arguments, const Offsets<4>& at)
      : g(arguments),
        out(static_cast<Out*>(g.out.data) + at.of[2]),
        bias(g.bias.data ? static_cast<const Out*>(g.bias.data) + at.of[3] : nullptr),
        alpha(Constant<Sum>::of(g.alpha)),
        beta(Constant<Sum>::of(g.beta)),
        reads(g.beta != 0) {}

  TL_DEVICE Out* place(int64_t i, int64_t j) const { return out + i * g.out.row + j * g.out.column; }

  TL_DEVICE Out operator()(int64_t i, int64_t j, Sum sum) const {
    Sum value = alpha * sum;
    if (reads) value = value + beta * widened(*place(i, j));
    if (bias) value = value + widened(bias[i * g.bias.row + j * g.bias.column]);
    return Narrowed<Out>::of(activate(g.activation, value));
  }
};

/// Joins the slices.
template <class In, class Out> TL_DEVICE void finish_matmul(const MatmulArguments& g) {
  using Sum = typename SumOfProducts<In>::Type;
  const int64_t each = g.m * g.n, all = each * g.batch.count;
  const Sum* const partial = static_cast<const Sum*>(g.partial);
  for (int64_t element = first_index(); element < all; element += index_step()) {
    const int64_t entry = element / each, i = element % each / g.n, j = element % each % g.n;
    Sum sum = partial[element];
    for (int64_t slice = 1; slice < g.slices; ++slice) sum = sum + partial[slice * all + element];
    const Finish<Sum, Out> finish(g, offsets_of(g.batch, entry));
    *finish.place(i, j) = finish(i, j, sum);
  }
}

#endif

}  // namespace kernels
