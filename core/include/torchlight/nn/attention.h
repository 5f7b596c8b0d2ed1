#pragma once

#include <torchlight/nn/linear.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  ///< of the weights, in training
  bool bias = true;
  std::optional<std::int64_t> kdim = {};  ///< features of the keys; embed_dim
  std::optional<std::int64_t> vdim = {};  ///< features of the values; embed_dim
  bool batch_first = false;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// Masks as PyTorch's module takes them: bool is true where attention is NOT allowed; floating ones are
/// added to the scores. They may be combined.
struct AttentionMasks {
  Tensor key_padding_mask = {};  ///< (N, S), or (S)
  bool need_weights = true;      ///< without them it is faster and takes less memory
  Tensor attn_mask = {};         ///< (L, S) or (N · num_heads, L, S)
  bool average_attn_weights = true;
  bool is_causal = false;  ///< query i sees keys 0 … i; needs no attn_mask
};

struct AttentionResult {
  Tensor output;   ///< of the query's shape
  Tensor weights;  ///< (N, L, S), each head's (N, num_heads, L, S), or undefined
};

/// Attention of num_heads heads over parts of the features: query (L, N, embed_dim), key (S, N, kdim), value
/// (S, N, vdim), with N first where batch_first is set, or without N. The projections start Xavier-uniform,
/// their biases at 0. A query that may see no key gets the output projection's bias alone, never NaN.
/// Source: Vaswani et al., Attention is all you need (2017), 3.2.2.
///
///   auto [output, weights] = attention(query, memory, memory, {.key_padding_mask = padding});
class MultiheadAttention : public Module {
 public:
  MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                     MultiheadAttentionOptions options = {});

  AttentionResult forward(const Tensor& query, const Tensor& key, const Tensor& value,
                          const AttentionMasks& masks = {});
  AttentionResult operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                             const AttentionMasks& masks = {}) {
    return forward(query, key, value, masks);
  }
  using Module::operator();
  /// Self-attention without masks; the output alone.
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  /// The projections of query, key and value one below the other, (3 embed_dim, embed_dim); undefined where
  /// kdim or vdim differ from embed_dim: then there are the three below.
  Tensor in_proj_weight;
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;
  Tensor in_proj_bias;  ///< (3 embed_dim), or undefined
  Linear& out_proj;

 private:
  Tensor projected(const Tensor& x, int which) const;

  std::int64_t embed_dim_, num_heads_;
  MultiheadAttentionOptions options_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
