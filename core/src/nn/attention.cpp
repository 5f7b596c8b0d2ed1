#include "nn/attention.h"

#include <cmath>
#include <limits>

#include <torchlight/nn/functional/layers.h>
#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::nn {
namespace {

using functional::AttentionOptions;

/// Queries of a causal block: few enough that little is computed for nothing, enough for a good product.
constexpr std::int64_t block = 128;

void check_shapes(const Tensor& query, const Tensor& key, const Tensor& value) {
  constexpr const char* op = "scaled_dot_product_attention";
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    throw Error(text(op, ": query, key and value must be (…, length, features), not ",
                     query.shape().str(), ", ", key.shape().str(), " and ", value.shape().str()));
  if (query.size(-1) != key.size(-1))
    throw Error(text(op, ": query ", query.shape().str(), " and key ", key.shape().str(),
                     " differ in their features, the last dim"));
  if (key.size(-2) != value.size(-2))
    throw Error(text(op, ": key ", key.shape().str(), " and value ", value.shape().str(),
                     " differ in their length, the last dim but one"));
}

/// Before a mask is cut into blocks, where a part of a wrong one may fit.
void check_mask(const Tensor& mask, const Tensor& query, const Tensor& key) {
  if (!mask.defined()) return;
  const auto fits = [&](std::int64_t dim, std::int64_t length) {
    return mask.dim() < -dim || mask.size(dim) == 1 || mask.size(dim) == length;
  };
  if (!fits(-2, query.size(-2)) || !fits(-1, key.size(-2)))
    throw Error(text("scaled_dot_product_attention: attn_mask ", mask.shape().str(),
                     " doesn't broadcast to the weights, (…, ", query.size(-2), ", ", key.size(-2),
                     "): queries by keys"));
}

double scale_of(const Tensor& query, const AttentionOptions& options) {
  return options.scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

Tensor weights_of(const Tensor& query, const Tensor& key, const AttentionOptions& options,
                  std::int64_t causal_offset) {
  const Tensor weights = attn_softmax(
      matmul(query, key.transpose()), options.attn_mask,
      {.scale = scale_of(query, options), .causal = options.is_causal, .causal_offset = causal_offset});
  return functional::dropout(weights, options.dropout_p);
}

/// The mask's part for queries first … last - 1 and the first `keys` keys.
Tensor mask_part(const Tensor& mask, std::int64_t first, std::int64_t last, std::int64_t keys) {
  Tensor part = mask;
  if (!mask.defined()) return part;
  if (mask.dim() > 1 && mask.size(-2) > 1) part = part.slice(-2, first, last);
  if (mask.dim() > 0 && mask.size(-1) > 1) part = part.slice(-1, 0, keys);
  return part;
}

/// Queries first … last - 1 see keys up to last - 1; the others take no part in the products.
Tensor causal_in_blocks(const Tensor& query, const Tensor& key, const Tensor& value,
                        const AttentionOptions& options) {
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < query.size(-2); first += block) {
    const std::int64_t last = std::min(first + block, query.size(-2));
    const std::int64_t keys = std::min(last, key.size(-2));
    AttentionOptions of_block = options;
    of_block.attn_mask = mask_part(options.attn_mask, first, last, keys);
    const Tensor weights =
        weights_of(query.slice(-2, first, last), key.slice(-2, 0, keys), of_block, first);
    parts.push_back(matmul(weights, value.slice(-2, 0, keys)));
  }
  return cat(parts, -2);
}

}  // namespace

Tensor additive_mask(const char* op, const Tensor& mask, bool hidden, Dtype dtype) {
  if (!mask.defined() || is_floating(mask.dtype())) return mask;
  if (mask.dtype() != boolean)
    throw Error(text(op, ": a mask must be bool or floating, not ", name_of(mask.dtype())));
  return zeros_like(mask, {.dtype = dtype})
      .masked_fill(hidden ? mask : !mask, -std::numeric_limits<double>::infinity());
}

Tensor attention_weights(const Tensor& query, const Tensor& key, const AttentionOptions& options) {
  return weights_of(query, key, options, 0);
}

namespace functional {

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  check_shapes(query, key, value);
  check_mask(options.attn_mask, query, key);
  AttentionOptions prepared = options;
  prepared.attn_mask =
      additive_mask("scaled_dot_product_attention", options.attn_mask, false, query.dtype());
  if (options.is_causal && query.size(-2) >= 2 * block)
    return causal_in_blocks(query, key, value, prepared);
  return matmul(attention_weights(query, key, prepared), value);
}

}  // namespace functional
}  // namespace torchlight::nn
