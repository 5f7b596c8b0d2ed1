#pragma once

#include <torchlight/nn/attention.h>
#include <torchlight/nn/dropout.h>
#include <torchlight/nn/normalization.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct TransformerLayerOptions {
  std::int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  std::function<Tensor(const Tensor&)> activation = {};  ///< relu
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  ///< normalise before each part, and not after its sum with the input
  bool bias = true;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// Masks as MultiheadAttention takes them.
struct EncoderMasks {
  Tensor src_mask = {};
  Tensor src_key_padding_mask = {};
  bool is_causal = false;
};

/// Self-attention, then two linear layers with an activation between them; each is added to what went in,
/// and normalised. src (S, N, d_model), with N first where batch_first is set, or without N.
/// Source: Vaswani et al., Attention is all you need (2017), 3.1.
class TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(std::int64_t d_model, std::int64_t nhead,
                          TransformerLayerOptions options = {});

  Tensor forward(const Tensor& src) override { return forward(src, EncoderMasks()); }
  Tensor forward(const Tensor& src, const EncoderMasks& masks);
  Tensor operator()(const Tensor& src, const EncoderMasks& masks = {}) { return forward(src, masks); }

  MultiheadAttention& self_attn;
  Linear& linear1;
  Dropout& dropout;
  Linear& linear2;
  LayerNorm &norm1, &norm2;
  Dropout &dropout1, &dropout2;

 private:
  TransformerLayerOptions options_;
};

/// Masks as MultiheadAttention takes them.
struct DecoderMasks {
  Tensor tgt_mask = {};
  Tensor memory_mask = {};
  Tensor tgt_key_padding_mask = {};
  Tensor memory_key_padding_mask = {};
  bool tgt_is_causal = false;
  bool memory_is_causal = false;
};

/// The same with attention to the encoder's output, `memory` (S, N, d_model), between the two parts.
class TransformerDecoderLayer : public Module {
 public:
  TransformerDecoderLayer(std::int64_t d_model, std::int64_t nhead,
                          TransformerLayerOptions options = {});

  Tensor forward(const Tensor& tgt, const Tensor& memory, const DecoderMasks& masks = {});
  Tensor operator()(const Tensor& tgt, const Tensor& memory, const DecoderMasks& masks = {}) {
    return forward(tgt, memory, masks);
  }
  using Module::forward;

  MultiheadAttention &self_attn, &multihead_attn;
  Linear& linear1;
  Dropout& dropout;
  Linear& linear2;
  LayerNorm &norm1, &norm2, &norm3;
  Dropout &dropout1, &dropout2, &dropout3;

 private:
  TransformerLayerOptions options_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
