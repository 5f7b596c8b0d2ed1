#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {

Tensor matmul(const Tensor& a, const Tensor& b) {
  for (const Tensor* x : {&a, &b}) operand(Op::matmul, *x);
  if (a.dim() == 0 || b.dim() == 0)
    throw Error(text("matmul: needs operands with at least one dim, got ", a.shape().str(), " @ ",
                     b.shape().str(), "; use * for scalars"));
  if (a.dim() == 1) {
    const Tensor row = matmul(a.unsqueeze(0), b);
    return row.squeeze(b.dim() == 1 ? -1 : -2);
  }
  if (b.dim() == 1) return matmul(a, b.unsqueeze(1)).squeeze(-1);
  return record(Op::matmul, matmul(array_of(a), array_of(b)), {&a, &b});
}

Tensor attn_softmax(const Tensor& x, const Tensor& mask, AttnSoftmaxOptions options) {
  if (x.dim() == 0) throw Error("attn_softmax: needs at least one dim, got a tensor of shape ()");
  if (x.dtype() != float32 && x.dtype() != float64)
    throw Error(text("attn_softmax: takes float32 or float64, got ", name_of(x.dtype())));
  Tensor additive;
  if (mask.defined()) {
    require_same_device("attn_softmax", array_of(x), array_of(mask));
    if (!is_floating(mask.dtype()))
      throw Error(
          text("attn_softmax: the mask is added to the scores and must be of real numbers, not ",
               name_of(mask.dtype()),
               "; hide what a bool mask says by masked_fill(mask, -INFINITY) on zeros"));
    bool fits = mask.dim() <= x.dim();
    for (std::int64_t d = 1; fits && d <= mask.dim(); ++d)
      fits = mask.size(-d) == 1 || mask.size(-d) == x.size(-d);
    if (!fits)
      throw Error(text("attn_softmax: a mask of shape ", mask.shape().str(), " doesn't broadcast to ",
                       x.shape().str()));
    additive = cast(mask, x.dtype());
  }
  Attributes attributes = with_params(options.scale);
  const Softmax fused{options.scale, options.causal, options.causal_offset};
  const Array result =
      attn_softmax(array_of(x), additive.defined() ? array_of(additive) : Array(), fused);
  return record(Op::attn_softmax, result, {&x, &additive}, &attributes);
}

Tensor softmax(const Tensor& x, std::int64_t dim) {
  if (!is_floating(x.dtype())) return softmax(cast(x, float32), dim);
  if (x.dim() == 0) {
    normalize_dim("softmax", dim, 1);
    return attn_softmax(x.unsqueeze(0)).squeeze(0);
  }
  const int d = normalize_dim("softmax", dim, x.shape().rank());
  if (d == x.dim() - 1) return attn_softmax(x);
  return attn_softmax(x.transpose(d, -1)).transpose(d, -1);
}

Tensor log_softmax(const Tensor& x, std::int64_t dim) {
  if (!is_floating(x.dtype())) return log_softmax(cast(x, float32), dim);
  if (x.dim() == 0) {
    normalize_dim("log_softmax", dim, 1);
    return log_softmax(x.unsqueeze(0), 0).squeeze(0);
  }
  Attributes attributes;
  attributes.dim = normalize_dim("log_softmax", dim, x.shape().rank());
  return record(Op::log_softmax, log_softmax(array_of(x), dim), {&x}, &attributes);
}

Tensor attn_softmax_bw(const Tensor& grad, const Tensor& soft, double scale) {
  const Tensor product = grad * soft;
  return (product - soft * sum(product, -1, true)) * scale;
}

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& gamma,
                  const Tensor& beta, double eps) {
  const int count = normalized_shape.rank();
  bool fits = count > 0 && count <= x.dim();
  for (int d = 1; fits && d <= count; ++d) fits = x.size(-d) == normalized_shape[count - d];
  if (!fits)
    throw Error(text("layer_norm: normalized_shape ", normalized_shape.str(),
                     " must be the last dims of the input's shape ", x.shape().str()));
  if (!(eps >= 0)) throw Error(text("layer_norm: eps is ", eps, "; it must be at least 0"));
  if (x.dtype() != float32 && x.dtype() != float64)
    throw Error(text("layer_norm: takes float32 or float64, got ", name_of(x.dtype())));
  for (const Tensor* w : {&gamma, &beta}) {
    if (!w->defined()) continue;
    require_same_device("layer_norm", array_of(x), array_of(*w));
    if (!(w->shape() == normalized_shape) || w->dtype() != x.dtype())
      throw Error(text("layer_norm: gamma and beta must have normalized_shape ", normalized_shape.str(),
                       " and dtype ", name_of(x.dtype()), ", got ", w->shape().str(), " and ",
                       name_of(w->dtype())));
  }
  Attributes attributes = with_params(eps);
  attributes.size = count;
  const auto maybe = [](const Tensor& t) { return t.defined() ? array_of(t) : Array(); };
  Normalized result = layer_norm(array_of(x), maybe(gamma), maybe(beta), eps, count);
  Tensor y = record(Op::layer_norm, result.output, {&x, &gamma, &beta}, &attributes);
  if (const Ref<Node>& node = node_of(y)) node->extras = {result.mean, result.rstd};
  return y;
}

LayerNormTensors layer_norm_bw(const Tensor& grad, const Tensor& x, const Tensor& gamma, const Array&,
                               const Array&, double eps, int normalized, std::array<bool, 3> wanted) {
  // The saved statistics have no history, so they are computed again from x.
  Dims dims;
  Shape tail;
  for (int d = normalized; d > 0; --d) {
    dims.push_back(-d);
    tail.push_back(x.size(-d));
  }
  const Tensor centered = x - mean(x, dims, true);
  const Tensor rstd = rsqrt(mean(square(centered), dims, true) + eps);
  const Tensor normal = centered * rstd;
  LayerNormTensors result;
  if (wanted[0]) {
    const Tensor g = gamma.defined() ? grad * gamma : grad;
    result.input = (g - mean(g, dims, true) - normal * mean(g * normal, dims, true)) * rstd;
  }
  if (wanted[1]) result.gamma = sum_to(grad * normal, tail);
  if (wanted[2]) result.beta = sum_to(grad, tail);
  return result;
}

Tensor Tensor::matmul(const Tensor& other) const { return torchlight::matmul(*this, other); }
Tensor Tensor::softmax(std::int64_t dim) const { return torchlight::softmax(*this, dim); }
Tensor Tensor::log_softmax(std::int64_t dim) const { return torchlight::log_softmax(*this, dim); }

}  // namespace torchlight
