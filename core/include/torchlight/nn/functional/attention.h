#pragma once

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight::nn::functional {

struct AttentionOptions {
  /// Broadcasts to (…, T, S). bool: where true, a query sees a key; floating: added to the scores.
  Tensor attn_mask = {};
  double dropout_p = 0;    ///< of the weights; 0 in evaluation
  bool is_causal = false;  ///< query i sees keys 0 … i only, together with attn_mask if given
  std::optional<double> scale = {};  ///< 1 / sqrt(E)
};

/// softmax(query @ keyᵀ * scale + mask) @ value: (…, T, E), (…, S, E), (…, S, Ev) → (…, T, Ev); leading
/// dims broadcast. A query that sees no key gives 0, and no gradient. With is_causal long sequences are
/// done in blocks of queries, so that what the mask hides is hardly computed. Error where shapes or
/// dtypes don't fit.
/// Source: Vaswani et al., Attention is all you need (2017), 3.2.1.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
