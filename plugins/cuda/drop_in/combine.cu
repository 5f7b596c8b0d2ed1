// tensorMap, tensorZip, tensorReduce and MatrixMultiply, for TORCHLIGHT_CUDA_KERNEL_DIR and for any program that calls
// launchers of this form. Build it in this folder:
//   nvcc -O3 --shared -o combine.so combine.cu -Xcompiler -fPIC -std=c++14
// Functions go by number; one that isn't known here gives NaN and a line on stderr.
#define TL_SELECT_ACTIVATION none
#include "launcher.cuh"

#include "../kernels/elementwise.cuh"
#include "../kernels/matmul_tile.cuh"
#include "../kernels/reduce.cuh"

namespace {

// clang-format off
enum Function {
  ADD = 1, MUL, ID, NEG, LT, EQ, SIGMOID, RELU, RELU_BACK, LOG, LOG_BACK, EXP, INV, INV_BACK, IS_CLOSE, MAX, POW,
  TANH, SQRT, ABS, SUB, GT, MIN = 24, DIV  // 23 means different things to different libraries
};

bool is_map(int fn) {
  switch (fn) {
    case ID: case NEG: case SIGMOID: case RELU: case LOG: case EXP: case INV: case TANH: case SQRT: case ABS:
      return true;
    default: return false;
  }
}

bool is_zip(int fn) {
  switch (fn) {
    case ADD: case MUL: case LT: case EQ: case RELU_BACK: case LOG_BACK: case INV_BACK: case IS_CLOSE: case MAX:
    case POW: case SUB: case GT: case MIN: case DIV: return true;
    default: return false;
  }
}
// clang-format on

constexpr float log_shift = 1e-6f, close = 1e-2f;

}  // namespace

namespace kernels {

/// The function's number comes as a parameter, which is the same for all threads.
struct combine_map {
  static TL_DEVICE float apply(float x, None, None, float fn, float) {
    switch (static_cast<int>(fn)) {
      case NEG: return -x;
      case SIGMOID: return sigmoid_of(x);
      case RELU: return x < 0 ? 0 : x;
      case LOG: return log_of(x + log_shift);
      case EXP: return exp_of(x);
      case INV: return 1 / x;
      case TANH: return tanh_of(x);
      case SQRT: return sqrt_of(x);
      case ABS: return abs_of(x);
      default: return x;
    }
  }
};

struct combine_zip {
  static TL_DEVICE float apply(float x, float y, None, float fn, float) {
    switch (static_cast<int>(fn)) {
      case ADD: return x + y;
      case MUL: return x * y;
      case LT: return x < y;
      case EQ: return x == y;
      case RELU_BACK: return x > 0 ? y : 0;
      case LOG_BACK: return y / (x + log_shift);
      case INV_BACK: return -y / (x * x);
      case IS_CLOSE: return abs_of(x - y) < close;
      case MAX: return maximum(x, y);
      case POW: return pow_of(x, y);
      case SUB: return x - y;
      case GT: return x > y;
      case MIN: return minimum(x, y);
      default: return x / y;
    }
  }
};

}  // namespace kernels

using kernels::None;

TL_KERNEL(combine_map, kernels::StridedArguments, 256,
          kernels::Elementwise<kernels::combine_map, float, None, None, float>::strided(arguments))
TL_KERNEL(combine_zip, kernels::StridedArguments, 256,
          kernels::Elementwise<kernels::combine_zip, float, float, None, float>::strided(arguments))
TL_KERNEL(combine_sum, kernels::ReduceArguments, 256,
          kernels::Reduction<kernels::reduce_sum<float>, float>::rows<true>(arguments))
TL_KERNEL(combine_prod, kernels::ReduceArguments, 256,
          kernels::Reduction<kernels::reduce_prod<float>, float>::rows<true>(arguments))
TL_KERNEL(combine_max, kernels::ReduceArguments, 256,
          kernels::Reduction<kernels::reduce_max<float>, float>::rows<true>(arguments))
TL_KERNEL(combine_min, kernels::ReduceArguments, 256,
          kernels::Reduction<kernels::reduce_min<float>, float>::rows<true>(arguments))
TL_KERNEL(combine_matmul, kernels::MatmulArguments, 256,
          kernels::Matmul<float, float, 64, 64, 16, 4, 4>::tiles(arguments))

namespace {

/// An array of the caller's: how many numbers its shape and strides reach.
struct Array {
  const int *shape, *stride;
  int rank;

  int64_t reach() const {
    int64_t last = 0;
    for (int d = 0; d < rank; ++d) {
      if (shape[d] == 0) return 0;
      last += static_cast<int64_t>(shape[d] - 1) * stride[d];
    }
    return last + 1;
  }
  /// The stride along axis d of an array of `of` axes, aligned at the right; 0 where it stretches.
  int64_t along(int d, int of) const {
    const int own = d - (of - rank);
    return own < 0 || shape[own] == 1 ? 0 : stride[own];
  }
};

int64_t blocks_for(int64_t count) {
  const int64_t blocks = (count + 255) / 256;
  return blocks < 4096 ? blocks : 4096;
}

/// out = fn(a[, b]), both stretched to its shape.
void elementwise(const char* name, const void* kernel, bool known, float* out, const Array& shape,
                 const float* a, const Array& a_shape, const float* b, const Array& b_shape, int fn) {
  drop_in::Call call(name, nullptr);
  if (!known || shape.rank > kernels::max_rank)
    call.refuse(known ? "the rank is above 8" : "an unknown function");
  const int64_t count = shape.reach();
  if (count == 0) return;
  float* const result = call.room(count, out);
  kernels::StridedArguments g = {};
  g.out = result;
  g.in[0] = call.room(a_shape.reach(), a);
  if (b) g.in[1] = call.room(b_shape.reach(), b);
  g.params[0] = fn;
  drop_in::Loops<4> loops;
  for (int d = 0; d < shape.rank && !call.failed(); ++d)
    loops.add(shape.shape[d],
              {shape.stride[d], a_shape.along(d, shape.rank), b ? b_shape.along(d, shape.rank) : 0, 0});
  g.nest = loops.nest();
  call.launch(kernel, blocks_for(g.nest.count), dim3(256), g);
  call.fetch(out, result, count);
}

/// The start joins what was reduced.
float join(int fn, float start, float x) {
  switch (fn) {
    case ADD: return start + x;
    case MUL: return start * x;
    case MAX: return start > x || start != start ? start : x;
    default: return start < x || start != start ? start : x;
  }
}

}  // namespace

extern "C" void tensorMap(float* out, int* out_shape, int* out_strides, int, float* in, int* in_shape,
                          int* in_strides, int, int rank, int fn_id) {
  elementwise("tensorMap", reinterpret_cast<const void*>(combine_map), is_map(fn_id), out,
              {out_shape, out_strides, rank}, in, {in_shape, in_strides, rank}, nullptr, {}, fn_id);
}

extern "C" void tensorZip(float* out, int* out_shape, int* out_strides, int, int out_rank, float* a,
                          int* a_shape, int* a_strides, int, int a_rank, float* b, int* b_shape,
                          int* b_strides, int, int b_rank, int fn_id) {
  elementwise("tensorZip", reinterpret_cast<const void*>(combine_zip), is_zip(fn_id), out,
              {out_shape, out_strides, out_rank}, a, {a_shape, a_strides, a_rank}, b,
              {b_shape, b_strides, b_rank}, fn_id);
}

/// out has extent 1 along `dim`.
extern "C" void tensorReduce(float* out, int* out_shape, int* out_strides, int, float* a, int* a_shape,
                             int* a_strides, int dim, float start, int rank, int fn_id) {
  drop_in::Call call("tensorReduce", nullptr);
  const void* const kernel = fn_id == ADD   ? reinterpret_cast<const void*>(combine_sum)
                             : fn_id == MUL ? reinterpret_cast<const void*>(combine_prod)
                             : fn_id == MAX ? reinterpret_cast<const void*>(combine_max)
                             : fn_id == MIN ? reinterpret_cast<const void*>(combine_min)
                                            : nullptr;
  if (!kernel || rank > kernels::max_rank)
    call.refuse(kernel ? "the rank is above 8" : "an unknown function");
  const Array result_shape{out_shape, out_strides, rank}, shape{a_shape, a_strides, rank};
  const int64_t count = result_shape.reach();
  if (count == 0) return;
  float* const result = call.room(count, out);
  kernels::ReduceArguments g = {};
  g.in = shape.reach() > 0 ? call.room(shape.reach(), a) : nullptr;
  g.out = result;
  g.pieces = 1;
  g.piece = a_shape[dim];
  drop_in::Loops<2> kept;
  for (int d = 0; d < rank && !call.failed(); ++d)
    if (d != dim) kept.add(out_shape[d], {a_strides[d], out_strides[d]});
  g.kept = kept.nest();
  g.reduced = drop_in::Loops<1>().add(a_shape[dim], {a_strides[dim]}).nest();
  call.launch(kernel, g.kept.count, dim3(a_shape[dim] <= 64 ? 32 : 256), g);
  call.fetch(out, result, count);
  for (int64_t i = 0; i < count; ++i) out[i] = join(fn_id, start, out[i]);
}

/// out[batch, m, p] = a[batch, m, k] b[batch, k, p]; a batch stride of 0 stretches.
extern "C" void MatrixMultiply(float* out, int* out_shape, int* out_strides, float* a, int* a_shape,
                               int* a_strides, float* b, int* b_shape, int* b_strides, int batch, int m,
                               int p) {
  drop_in::Call call("MatrixMultiply", nullptr);
  const Array result_shape{out_shape, out_strides, 3};
  const int64_t count = result_shape.reach();
  if (count == 0) return;
  const Array left{a_shape, a_strides, 3}, right{b_shape, b_strides, 3};
  float* const result = call.room(count, out);
  kernels::MatmulArguments g = {};
  g.a = {call.room(left.reach(), a), a_strides[1], a_strides[2], 0, 0};
  g.b = {call.room(right.reach(), b), b_strides[1], b_strides[2], 0, 0};
  g.out = {result, out_strides[1], out_strides[2], 0, 0};
  g.m = m, g.n = p, g.k = a_shape[2];
  g.slice = g.k, g.slices = 1;
  g.alpha = 1;
  g.batch =
      drop_in::Loops<4>().add(batch, {left.along(0, 3), right.along(0, 3), out_strides[0], 0}).nest();
  const int64_t tiles = ((g.m + 63) / 64) * ((g.n + 63) / 64) * batch;
  call.launch(reinterpret_cast<const void*>(combine_matmul), tiles, dim3(256), g);
  call.fetch(out, result, count);
}
