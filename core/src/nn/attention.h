#pragma once

#include <torchlight/nn/functional/attention.h>

namespace torchlight::nn {

/// Numbers to add to scores: -inf where a bool mask is `hidden`, else 0. A floating mask is one already,
/// and an undefined one stays undefined. Error, in the name of `op`, for other dtypes.
Tensor additive_mask(const char* op, const Tensor& mask, bool hidden, Dtype dtype);

/// softmax(query @ keyᵀ * scale + mask), dropped out: (…, T, E), (…, S, E) → (…, T, S). The mask is additive.
Tensor attention_weights(const Tensor& query, const Tensor& key,
                         const functional::AttentionOptions& options);

}  // namespace torchlight::nn
