#include <torchlight/nn/transformer.h>

#include <torchlight/ops.h>

namespace torchlight::nn {
namespace {

using Options = TransformerLayerOptions;

MultiheadAttention attention(std::int64_t d_model, std::int64_t nhead, const Options& o) {
  return {d_model,
          nhead,
          {.dropout = o.dropout,
           .bias = o.bias,
           .batch_first = o.batch_first,
           .device = o.device,
           .dtype = o.dtype}};
}

Linear linear(std::int64_t in, std::int64_t out, const Options& o) {
  return {in, out, {.bias = o.bias, .device = o.device, .dtype = o.dtype}};
}

LayerNorm norm(std::int64_t d_model, const Options& o) {
  return LayerNorm(d_model,
                   {.eps = o.layer_norm_eps, .bias = o.bias, .device = o.device, .dtype = o.dtype});
}

/// x and what a part makes of it, normalised before the part or after the sum.
template <class Part>
Tensor with_residual(const Tensor& x, LayerNorm& norm, bool first, const Part& part) {
  return first ? x + part(norm(x)) : norm(x + part(x));
}

Tensor activated(const Options& o, const Tensor& x) { return o.activation ? o.activation(x) : relu(x); }

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(std::int64_t d_model, std::int64_t nhead, Options o)
    : self_attn(register_module("self_attn", attention(d_model, nhead, o))),
      linear1(register_module("linear1", linear(d_model, o.dim_feedforward, o))),
      dropout(register_module("dropout", Dropout(o.dropout))),
      linear2(register_module("linear2", linear(o.dim_feedforward, d_model, o))),
      norm1(register_module("norm1", norm(d_model, o))),
      norm2(register_module("norm2", norm(d_model, o))),
      dropout1(register_module("dropout1", Dropout(o.dropout))),
      dropout2(register_module("dropout2", Dropout(o.dropout))),
      options_(std::move(o)) {}

Tensor TransformerEncoderLayer::forward(const Tensor& src, const EncoderMasks& masks) {
  const Tensor x = with_residual(src, norm1, options_.norm_first, [&](const Tensor& y) {
    const AttentionMasks of_self{.key_padding_mask = masks.src_key_padding_mask,
                                 .need_weights = false,
                                 .attn_mask = masks.src_mask,
                                 .is_causal = masks.is_causal};
    return dropout1(self_attn(y, y, y, of_self).output);
  });
  return with_residual(x, norm2, options_.norm_first, [&](const Tensor& y) {
    return dropout2(linear2(dropout(activated(options_, linear1(y)))));
  });
}

TransformerDecoderLayer::TransformerDecoderLayer(std::int64_t d_model, std::int64_t nhead, Options o)
    : self_attn(register_module("self_attn", attention(d_model, nhead, o))),
      multihead_attn(register_module("multihead_attn", attention(d_model, nhead, o))),
      linear1(register_module("linear1", linear(d_model, o.dim_feedforward, o))),
      dropout(register_module("dropout", Dropout(o.dropout))),
      linear2(register_module("linear2", linear(o.dim_feedforward, d_model, o))),
      norm1(register_module("norm1", norm(d_model, o))),
      norm2(register_module("norm2", norm(d_model, o))),
      norm3(register_module("norm3", norm(d_model, o))),
      dropout1(register_module("dropout1", Dropout(o.dropout))),
      dropout2(register_module("dropout2", Dropout(o.dropout))),
      dropout3(register_module("dropout3", Dropout(o.dropout))),
      options_(std::move(o)) {}

Tensor TransformerDecoderLayer::forward(const Tensor& tgt, const Tensor& memory,
                                        const DecoderMasks& masks) {
  Tensor x = with_residual(tgt, norm1, options_.norm_first, [&](const Tensor& y) {
    const AttentionMasks of_self{.key_padding_mask = masks.tgt_key_padding_mask,
                                 .need_weights = false,
                                 .attn_mask = masks.tgt_mask,
                                 .is_causal = masks.tgt_is_causal};
    return dropout1(self_attn(y, y, y, of_self).output);
  });
  x = with_residual(x, norm2, options_.norm_first, [&](const Tensor& y) {
    const AttentionMasks of_memory{.key_padding_mask = masks.memory_key_padding_mask,
                                   .need_weights = false,
                                   .attn_mask = masks.memory_mask,
                                   .is_causal = masks.memory_is_causal};
    return dropout2(multihead_attn(y, memory, memory, of_memory).output);
  });
  return with_residual(x, norm3, options_.norm_first, [&](const Tensor& y) {
    return dropout3(linear2(dropout(activated(options_, linear1(y)))));
  });
}

}  // namespace torchlight::nn
