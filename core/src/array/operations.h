#pragma once

#include <span>
#include <string_view>

#include "array/array.h"

/// Operations on arrays. Those that also exist for tensors have the same name and arguments, so that
/// gradient rules can be written once for both.
namespace torchlight {

/// A function id of ops.def: TL_MAP_…, TL_ZIP_…, TL_REDUCE_….
using Fn = std::uint32_t;
using Params = std::array<double, TL_MAX_PARAMS>;

const char* map_name(Fn fn);
/// What the user wrote for a row of ops.def: "add" for add_scalar, "sub" for rsub_scalar.
constexpr std::string_view written_name(std::string_view row) {
  constexpr std::string_view suffix = "_scalar";
  if (!row.ends_with(suffix)) return row;
  row.remove_suffix(suffix.size());
  if (row.starts_with('r')) row.remove_prefix(1);
  return row;
}
const char* zip_name(Fn fn);
const char* reduce_name(Fn fn);
/// How many parameters a map takes.
std::uint32_t map_params(Fn fn);
std::uint32_t zip_params(Fn fn);

// ---- creation (create.cpp)
Array empty(const Shape& shape, Dtype dtype, OpenDevice& device);
Array full(const Shape& shape, double value, Dtype dtype, OpenDevice& device);
Array arange(const Shape& shape, double start, double step, Dtype dtype, OpenDevice& device);
Array eye(std::int64_t rows, std::int64_t columns, Dtype dtype, OpenDevice& device);
/// Values in host memory, row-major, copied.
Array from_host(const void* values, const Shape& shape, Dtype dtype, OpenDevice& device);
/// The values in row-major order, copied to host memory of numel * size_of(dtype) bytes.
void to_host(const Array& x, void* values);
Array to(const Array& x, OpenDevice& device);

// ---- elementwise (elementwise.cpp). Dtypes are promoted as ops.def's domains ask.
Array map(Fn fn, const Array& x, const Params& params = {});
Array zip(Fn fn, const Array& x, const Array& y, const Params& params = {});
Array zip(Fn fn, const Array& x, const Array& y, const Array& z, const Params& params = {});
/// The same into `out`, which has the result's shape; its dtype is kept. The inputs may overlap it.
void map_into(Fn fn, const Array& x, const Array& out, const Params& params = {});
void zip_into(Fn fn, std::span<const Array* const> inputs, const Array& out, const Params& params = {});
void fill(const Array& out, double value);
/// Values of `x`, broadcast and converted, into `out`.
void copy_into(const Array& x, const Array& out);
Array copy(const Array& x, Dtype dtype);  ///< always new storage, row-major
Array cast(const Array& x, Dtype dtype);  ///< itself where nothing changes
Array contiguous(const Array& x);         ///< itself where nothing changes
/// What an elementwise operation on these computes with: bool < int64 < float32 < float64.
Dtype promote(const char* operation, Dtype a, Dtype b);
Array where(const Array& condition, const Array& x, const Array& y);
Array where(const Array& condition, const Array& x, double y);
Array where(const Array& condition, double x, const Array& y);

#define TORCHLIGHT_UNARY(name) \
  inline Array name(const Array& x) { return map(TL_MAP_##name, x); }
#define TORCHLIGHT_BINARY(name) \
  inline Array name(const Array& x, const Array& y) { return zip(TL_ZIP_##name, x, y); }
#define TORCHLIGHT_PREDICATE1(name) TORCHLIGHT_UNARY(name)
#define TORCHLIGHT_PREDICATE2(name) TORCHLIGHT_BINARY(name)
#include <torchlight/uniform_ops.h>

inline Array operator-(const Array& x) { return neg(x); }
inline Array operator+(const Array& x, const Array& y) { return add(x, y); }
inline Array operator-(const Array& x, const Array& y) { return sub(x, y); }
inline Array operator*(const Array& x, const Array& y) { return mul(x, y); }
inline Array operator/(const Array& x, const Array& y) { return div(x, y); }
inline Array operator+(const Array& x, double y) { return map(TL_MAP_add_scalar, x, {y}); }
inline Array operator-(const Array& x, double y) { return map(TL_MAP_add_scalar, x, {-y}); }
inline Array operator-(double x, const Array& y) { return map(TL_MAP_rsub_scalar, y, {x}); }
inline Array operator*(const Array& x, double y) { return map(TL_MAP_mul_scalar, x, {y}); }
inline Array operator/(const Array& x, double y) { return map(TL_MAP_div_scalar, x, {y}); }
inline Array pow(const Array& x, double y) { return map(TL_MAP_pow_scalar, x, {y}); }
inline Array eq(const Array& x, double y) { return map(TL_MAP_eq_scalar, x, {y}); }
inline Array lt(const Array& x, double y) { return map(TL_MAP_lt_scalar, x, {y}); }
inline Array gt(const Array& x, double y) { return map(TL_MAP_gt_scalar, x, {y}); }
inline Array ge(const Array& x, double y) { return map(TL_MAP_ge_scalar, x, {y}); }

// The derivatives' own functions; the first argument is a gradient.
inline Array relu_bw(const Array& g, const Array& x) { return zip(TL_ZIP_relu_bw, g, x); }
inline Array sigmoid_bw(const Array& g, const Array& y) { return zip(TL_ZIP_sigmoid_bw, g, y); }
inline Array tanh_bw(const Array& g, const Array& y) { return zip(TL_ZIP_tanh_bw, g, y); }
inline Array gelu_bw(const Array& g, const Array& x) { return zip(TL_ZIP_gelu_bw, g, x); }
inline Array gelu_tanh_bw(const Array& g, const Array& x) { return zip(TL_ZIP_gelu_tanh_bw, g, x); }
inline Array silu_bw(const Array& g, const Array& x) { return zip(TL_ZIP_silu_bw, g, x); }
inline Array leaky_relu_bw(const Array& g, const Array& x, double slope) {
  return zip(TL_ZIP_leaky_relu_bw, g, x, Params{slope});
}
inline Array softplus_bw(const Array& g, const Array& x, double beta, double threshold) {
  return zip(TL_ZIP_softplus_bw, g, x, Params{beta, threshold});
}
inline Array clamp_bw(const Array& g, const Array& x, double min, double max) {
  return zip(TL_ZIP_clamp_bw, g, x, Params{min, max});
}

// ---- reductions (reductions.cpp)
Array reduce(Fn fn, const Array& x, const Dims& dims = {}, bool keepdim = false);
inline Array sum(const Array& x, const Dims& dims = {}, bool keepdim = false) {
  return reduce(TL_REDUCE_sum, x, dims, keepdim);
}
inline Array prod(const Array& x, const Dims& dims = {}, bool keepdim = false) {
  return reduce(TL_REDUCE_prod, x, dims, keepdim);
}
Array mean(const Array& x, const Dims& dims = {}, bool keepdim = false);
Array std(const Array& x, const Dims& dims, bool keepdim, double correction);
Array logsumexp(const Array& x, const Dims& dims = {}, bool keepdim = false);
Array norm(const Array& x, const Dims& dims, bool keepdim);  ///< the Euclidean one
Array scan(Fn fn, const Array& x, std::int64_t dim, bool reverse);
/// x summed down to a shape that broadcasts to its own.
Array sum_to(const Array& x, const Shape& shape);

// ---- products and fused (products.cpp, fused.cpp)
/// (…, m, k) @ (…, k, n), both with at least two dims; batch dims broadcast.
Array matmul(const Array& a, const Array& b);
struct Softmax {
  double scale = 1;
  bool causal = false;
  std::int64_t causal_offset = 0;
};
Array attn_softmax(const Array& x, const Array& mask, const Softmax& options);
Array attn_softmax_bw(const Array& grad, const Array& soft, double scale);
Array log_softmax(const Array& x, std::int64_t dim);
struct Normalized {
  Array output, mean, rstd;
};
Normalized layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps,
                      int normalized);
struct LayerNormGradients {
  Array input, gamma, beta;
};
LayerNormGradients layer_norm_bw(const Array& grad, const Array& x, const Array& gamma,
                                 const Array& mean, const Array& rstd, double eps, int normalized,
                                 std::array<bool, 3> wanted);

// ---- layout (layout.cpp): views of the same storage wherever possible
/// The same elements under another shape, as a view; undefined where that needs a copy.
Array try_view(const Array& x, const Shape& shape);
Array reshape(const Array& x, const Shape& shape);
Array permute(const Array& x, const Dims& dims);
Array transpose(const Array& x, std::int64_t dim0, std::int64_t dim1);
Array expand(const Array& x, const Shape& shape);
Array unfold(const Array& x, std::int64_t dim, std::int64_t size, std::int64_t step);
/// The reverse of unfold: overlapping windows add up in a dim of the given length.
Array fold(const Array& x, std::int64_t dim, std::int64_t length, std::int64_t step);
Array cat(std::span<const Array> arrays, std::int64_t dim);
/// A window given in terms of x's elements in row-major order.
struct Window {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;
};
Array window(const Array& x, const Window& window);
/// x with the elements of the window replaced, in new storage.
Array replace_window(const Array& x, const Array& values, const Window& window);
/// `start`, `end` and `step` of one dim as a Window of an array with this shape and these strides.
Window slice_window(const Shape& shape, const Strides& strides, std::int64_t dim,
                    std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                    std::int64_t step);
/// With one -1 inferred; Error where the numbers of elements differ.
Shape infer_shape(const char* operation, const Shape& from, const Shape& to);

// ---- by index (indexing.cpp)
/// The index broadcasts to the result as its strides say: see torchlight.index/1.
Array gather(const Array& x, std::int64_t dim, const Array& index);
Array scatter_add(const Array& x, std::int64_t dim, const Array& index, const Array& source);
/// The same in place: x and source of one dtype.
void scatter_add_into(const Array& x, std::int64_t dim, const Array& index, const Array& source);
/// A list of indices along one dim, laid out for gather and scatter_add of an array with this shape.
Array index_for_rows(const Array& index, const Shape& shape, std::int64_t dim);

}  // namespace torchlight
