#include <limits>

#include "array/operations.h"
#include "dispatch/run.h"
#include "support/text.h"

/// The fused primitives: offered by the device, or composed from the others.
namespace torchlight {
namespace {

using dispatch::Primitive;

constexpr double infinity = std::numeric_limits<double>::infinity();

Array composed_softmax(const Array& x, const Array& mask, const Softmax& o) {
  Array scores = o.scale == 1 ? x : x * o.scale;
  if (mask.defined()) scores = scores + mask;
  if (o.causal) {
    const std::int64_t rows = x.rank() > 1 ? x.shape()[x.rank() - 2] : 1, columns = x.shape().back();
    const Array row = arange({rows, 1}, static_cast<double>(o.causal_offset), 1, int64, x.device());
    const Array column = arange({1, columns}, 0, 1, int64, x.device());
    scores = where(le(column, row), scores, -infinity);
  }
  const Array largest = reduce(TL_REDUCE_max, scores, -1, true);
  const Array weights = exp(scores - where(isinf(largest), 0.0, largest));
  const Array total = sum(weights, -1, true);
  return where(eq(total, 0), 0.0, weights / total);  // a row with nothing left is 0, not 0/0
}

Dims last_dims(int count) {
  Dims dims;
  for (int d = count; d > 0; --d) dims.push_back(-d);
  return dims;
}

Normalized composed_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps,
                               int count) {
  const Dims dims = last_dims(count);
  const Array average = mean(x, dims, true);
  const Array centered = x - average;
  const Array rstd = rsqrt(mean(square(centered), dims, true) + eps);
  Array output = centered * rstd;
  if (gamma.defined()) output = output * gamma;
  if (beta.defined()) output = output + beta;
  return {output, average, rstd};
}

LayerNormGradients composed_layer_norm_bw(const Array& grad, const Array& x, const Array& gamma,
                                          const Array& average, const Array& rstd, int count,
                                          std::array<bool, 3> wanted) {
  const Dims dims = last_dims(count);
  const Array normal = (x - average) * rstd;
  LayerNormGradients result;
  if (wanted[0]) {
    const Array g = gamma.defined() ? grad * gamma : grad;
    result.input = (g - mean(g, dims, true) - normal * mean(g * normal, dims, true)) * rstd;
  }
  Shape tail;
  for (int d = x.rank() - count; d < x.rank(); ++d) tail.push_back(x.shape()[d]);
  if (wanted[1]) result.gamma = sum_to(grad * normal, tail);
  if (wanted[2]) result.beta = sum_to(grad, tail);
  return result;
}

/// The leading shape, in which the statistics are kept: with the normalised dims as 1 for composing.
Shape leading(const Shape& shape, int count, bool keep) {
  Shape result;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d < shape.rank() - count)
      result.push_back(shape[d]);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

/// A view of an array that may be missing.
struct MaybeView {
  explicit MaybeView(const Array& x) : present(x.defined()) {
    if (present) view = x.view();
  }
  const tl_view* get() const { return present ? &view : nullptr; }
  bool present;
  tl_view view;
};

}  // namespace

Array attn_softmax(const Array& x, const Array& mask, const Softmax& o) {
  Array out = empty(x.shape(), x.dtype(), x.device());
  if (out.numel() == 0) return out;
  const tl_view in = x.view(), to = out.view();
  tl_view mask_view;
  if (mask.defined())
    mask_view = mask.view(x.shape(), broadcast_strides(mask.shape(), mask.strides(), x.shape()));
  tl_attn_softmax_fw_args args{{sizeof(tl_attn_softmax_fw_args), 0, nullptr},
                               &in,
                               mask.defined() ? &mask_view : nullptr,
                               &to,
                               o.scale,
                               o.causal_offset,
                               o.causal ? 1u : 0u,
                               0};
  if (dispatch::try_run(x.device(), {Primitive::attn_softmax_fw, "attn_softmax", &args.head}))
    return out;
  return composed_softmax(x, mask, o);
}

Array attn_softmax_bw(const Array& grad, const Array& soft, double scale) {
  require_same_device("attn_softmax_bw", grad, soft);
  Array out = empty(soft.shape(), soft.dtype(), soft.device());
  if (out.numel() == 0) return out;
  const tl_view g = grad.view(), s = soft.view(), to = out.view();
  tl_attn_softmax_bw_args args{{sizeof(tl_attn_softmax_bw_args), 0, nullptr}, &g, &s, &to, scale};
  if (dispatch::try_run(soft.device(), {Primitive::attn_softmax_bw, "attn_softmax_bw", &args.head}))
    return out;
  const Array product = grad * soft;
  return (product - soft * sum(product, -1, true)) * scale;
}

Normalized layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, int count) {
  const Shape rows = leading(x.shape(), count, false);
  Normalized r{empty(x.shape(), x.dtype(), x.device()), empty(rows, x.dtype(), x.device()),
               empty(rows, x.dtype(), x.device())};
  if (r.output.numel() == 0 && r.mean.numel() == 0) return r;
  const tl_view in = x.view(), out = r.output.view(), mean_view = r.mean.view(),
                rstd_view = r.rstd.view();
  const MaybeView g(gamma), b(beta);
  tl_layernorm_fw_args args{{sizeof(tl_layernorm_fw_args), 0, nullptr},
                            &in,
                            g.get(),
                            b.get(),
                            &out,
                            &mean_view,
                            &rstd_view,
                            eps,
                            static_cast<std::uint32_t>(count),
                            0};
  if (dispatch::try_run(x.device(), {Primitive::layernorm_fw, "layer_norm", &args.head})) return r;
  Normalized composed = composed_layer_norm(x, gamma, beta, eps, count);
  composed.mean = reshape(composed.mean, rows);
  composed.rstd = reshape(composed.rstd, rows);
  return composed;
}

LayerNormGradients layer_norm_bw(const Array& grad, const Array& x, const Array& gamma,
                                 const Array& mean, const Array& rstd, double eps, int count,
                                 std::array<bool, 3> wanted) {
  Shape tail;
  for (int d = x.rank() - count; d < x.rank(); ++d) tail.push_back(x.shape()[d]);
  LayerNormGradients r;
  if (wanted[0]) r.input = empty(x.shape(), x.dtype(), x.device());
  if (wanted[1]) r.gamma = empty(tail, x.dtype(), x.device());
  if (wanted[2]) r.beta = empty(tail, x.dtype(), x.device());
  const tl_view g = grad.view(), in = x.view();
  const MaybeView gamma_view(gamma), mean_view(mean), rstd_view(rstd), dx(r.input), dg(r.gamma),
      db(r.beta);
  tl_layernorm_bw_args args{{sizeof(tl_layernorm_bw_args), 0, nullptr},
                            &g,
                            &in,
                            gamma_view.get(),
                            mean_view.get(),
                            rstd_view.get(),
                            dx.get(),
                            dg.get(),
                            db.get(),
                            eps,
                            static_cast<std::uint32_t>(count),
                            0};
  if (dispatch::try_run(x.device(), {Primitive::layernorm_bw, "layer_norm backward", &args.head}))
    return r;
  Array average = mean, deviation = rstd;
  if (!mean.defined() || !rstd.defined()) {
    const Normalized again = layer_norm(x, {}, {}, eps, count);
    average = again.mean;
    deviation = again.rstd;
  }
  const Shape kept = leading(x.shape(), count, true);
  return composed_layer_norm_bw(grad, x, gamma, reshape(average, kept), reshape(deviation, kept), count,
                                wanted);
}

}  // namespace torchlight
