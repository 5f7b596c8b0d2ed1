#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct EmbeddingOptions {
  std::optional<std::int64_t> padding_idx = {};  ///< this row starts at 0 and gets no gradient
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// A row of the table for each index: int64 (…) → (…, embedding_dim). Rows start normal with mean 0 and
/// deviation 1. Error naming an index outside 0 … num_embeddings - 1 and its position.
///
/// Training costs time for the rows that are looked up, not for the table, with SGD without momentum and
/// decay and, after its first step, Adagrad without decay, on devices whose memory the host sees. All other
/// optimizers change every row in every step; and reading weight.grad(), as clip_grad_norm_ does, makes a
/// gradient as large as the table.
class Embedding : public Module {
 public:
  Embedding(std::int64_t num_embeddings, std::int64_t embedding_dim, EmbeddingOptions options = {});
  /// With this table (rows, dim), which isn't copied; `freeze`: it is not trained.
  static Embedding from_pretrained(const Tensor& embeddings, bool freeze = true,
                                   std::optional<std::int64_t> padding_idx = {});

  Tensor forward(const Tensor& indices) override;
  std::string extra_repr() const override;

  Tensor weight;  ///< (num_embeddings, embedding_dim)

 private:
  Embedding(const Tensor& table, std::optional<std::int64_t> padding_idx);
  std::optional<std::int64_t> padding_idx_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
