#include <torchlight/nn/attention.h>
#include <torchlight/nn/functional.h>
#include <torchlight/nn/init.h>

#include "nn/affine.h"
#include "nn/attention.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

constexpr const char* op = "MultiheadAttention";

std::int64_t checked_embed_dim(std::int64_t embed_dim, std::int64_t num_heads) {
  if (embed_dim < 1 || num_heads < 1 || embed_dim % num_heads != 0)
    throw Error(text(op, ": embed_dim ", embed_dim, " can't be divided into ", num_heads, " heads"));
  return embed_dim;
}

bool is_packed(std::int64_t embed_dim, const MultiheadAttentionOptions& o) {
  return o.kdim.value_or(embed_dim) == embed_dim && o.vdim.value_or(embed_dim) == embed_dim;
}

/// (N, L, E) → (N, heads, L, E / heads), a view.
Tensor in_heads(const Tensor& x, std::int64_t heads) {
  return x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

/// (N, heads, L, E / heads) → (N, L, E)
Tensor joined(const Tensor& x) {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

/// A module's input as (N, L, features), and a result the way back.
Tensor batch_first(const Tensor& x, bool is_batched, bool has_batch_first) {
  if (!is_batched) return x.unsqueeze(0);
  return has_batch_first ? x : x.transpose(0, 1);
}
Tensor as_given(const Tensor& y, bool is_batched, bool has_batch_first) {
  if (!is_batched) return y.squeeze(0);
  return has_batch_first ? y : y.transpose(0, 1);
}

void check_mask(const char* name, const Tensor& mask, std::initializer_list<Shape> allowed) {
  std::string shapes;
  for (const Shape& shape : allowed) {
    if (mask.shape() == shape) return;
    shapes += (shapes.empty() ? "" : " or ") + shape.str();
  }
  throw Error(text(op, ": ", name, " is ", mask.shape().str(), " and should be ", shapes));
}

/// The masks as one to add to scores (N, heads, L, S), or undefined.
Tensor combined(const AttentionMasks& masks, bool is_batched, const Shape& scores, Dtype dtype) {
  const std::int64_t n = scores[0], heads = scores[1], length = scores[2], keys = scores[3];
  Tensor mask = additive_mask(op, masks.attn_mask, true, dtype);
  if (mask.defined()) {
    check_mask("attn_mask", mask, {{length, keys}, {n * heads, length, keys}});
    if (mask.dim() == 3) mask = mask.reshape(scores);
  }
  Tensor padding = additive_mask(op, masks.key_padding_mask, true, dtype);
  if (!padding.defined()) return mask;
  check_mask("key_padding_mask", padding, {is_batched ? Shape{n, keys} : Shape{keys}});
  padding = padding.reshape({n, 1, 1, keys});
  return mask.defined() ? mask + padding : padding;
}

void check_inputs(const Tensor& query, const Tensor& key, const Tensor& value, bool has_batch_first) {
  const auto shapes = [&] {
    return text("query ", query.shape().str(), ", key ", key.shape().str(), ", value ",
                value.shape().str());
  };
  if ((query.dim() != 2 && query.dim() != 3) || key.dim() != query.dim() || value.dim() != query.dim())
    throw Error(
        text(op, ": inputs must be (length, batch, features) or (length, features), not ", shapes()));
  const bool is_batched = query.dim() == 3;
  const std::int64_t length = is_batched && has_batch_first ? 1 : 0, batch = 1 - length;
  if (key.size(length) != value.size(length) ||
      (is_batched && (key.size(batch) != query.size(batch) || value.size(batch) != query.size(batch))))
    throw Error(text(op, ": lengths of key and value, or batches, differ: ", shapes()));
}

}  // namespace

MultiheadAttention::MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                                       MultiheadAttentionOptions options)
    : out_proj(register_module(
          "out_proj",
          Linear(checked_embed_dim(embed_dim, num_heads), embed_dim,
                 {.bias = options.bias, .device = options.device, .dtype = options.dtype}))),
      embed_dim_(embed_dim),
      num_heads_(num_heads),
      options_(options) {
  const auto parameter = [&](const char* name, bool wanted, const Shape& shape) {
    return register_parameter(name, make_parameter(wanted, shape, options.device, options.dtype));
  };
  const bool packed = is_packed(embed_dim, options);
  in_proj_weight = parameter("in_proj_weight", packed, {3 * embed_dim, embed_dim});
  q_proj_weight = parameter("q_proj_weight", !packed, {embed_dim, embed_dim});
  k_proj_weight = parameter("k_proj_weight", !packed, {embed_dim, options.kdim.value_or(embed_dim)});
  v_proj_weight = parameter("v_proj_weight", !packed, {embed_dim, options.vdim.value_or(embed_dim)});
  in_proj_bias = parameter("in_proj_bias", options.bias, 3 * embed_dim);
  for (Tensor* weight : {&in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight})
    if (weight->defined()) init::xavier_uniform_(*weight);
  for (Tensor* bias : {&in_proj_bias, &out_proj.bias})
    if (bias->defined()) init::zeros_(*bias);
}

/// The query's (0), the key's (1) or the value's (2) projection, (N, heads, L, E / heads).
Tensor MultiheadAttention::projected(const Tensor& x, int which) const {
  const std::int64_t first = which * embed_dim_, last = first + embed_dim_;
  const Tensor* const separate[] = {&q_proj_weight, &k_proj_weight, &v_proj_weight};
  const Tensor weight =
      in_proj_weight.defined() ? in_proj_weight.slice(0, first, last) : *separate[which];
  const Tensor bias = in_proj_bias.defined() ? in_proj_bias.slice(0, first, last) : Tensor();
  return in_heads(functional::linear(x, weight, bias), num_heads_);
}

AttentionResult MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                            const AttentionMasks& masks) {
  check_inputs(query, key, value, options_.batch_first);
  const bool is_batched = query.dim() == 3;
  const auto turned = [&](const Tensor& x) { return batch_first(x, is_batched, options_.batch_first); };
  const Tensor q = projected(turned(query), 0), k = projected(turned(key), 1),
               v = projected(turned(value), 2);
  const Shape scores{q.size(0), num_heads_, q.size(2), k.size(2)};
  const functional::AttentionOptions options{
      .attn_mask = combined(masks, is_batched, scores, q.dtype()),
      .dropout_p = is_training() ? options_.dropout : 0,
      .is_causal = masks.is_causal};
  Tensor mixed, weights;
  if (masks.need_weights) {
    weights = attention_weights(q, k, options);
    mixed = matmul(weights, v);
    if (masks.average_attn_weights) weights = weights.mean(1);
    if (!is_batched) weights = weights.squeeze(0);
  } else {
    mixed = functional::scaled_dot_product_attention(q, k, v, options);
  }
  return {as_given(out_proj(joined(mixed)), is_batched, options_.batch_first), weights};
}

Tensor MultiheadAttention::forward(const Tensor& x) {
  return forward(x, x, x, {.need_weights = false}).output;
}

std::string MultiheadAttention::extra_repr() const {
  return text("embed_dim=", embed_dim_, ", num_heads=", num_heads_);
}

}  // namespace torchlight::nn
