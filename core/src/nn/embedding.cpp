#include <torchlight/nn/embedding.h>

#include <torchlight/nn/functional/layers.h>
#include <torchlight/nn/init.h>
#include <torchlight/ops.h>

#include "nn/affine.h"
#include "nn/labels.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

/// From 0 on. Error where the table has no such row.
std::optional<std::int64_t> row_number(const char* op, std::optional<std::int64_t> row,
                                       const Tensor& table) {
  if (!row) return row;
  const std::int64_t rows = table.size(0), number = *row < 0 ? *row + rows : *row;
  if (number < 0 || number >= rows)
    throw Error(text(op, ": padding_idx ", *row, " is not a row of the table ", table.shape().str()));
  return number;
}

const Tensor& require_table(const char* op, const Tensor& table) {
  if (table.dim() != 2)
    throw Error(text(op, ": the table must be (rows, dim), not ", table.shape().str()));
  return table;
}

}  // namespace

Embedding::Embedding(const Tensor& table, std::optional<std::int64_t> padding_idx)
    : weight(register_parameter("weight", require_table("Embedding", table))),
      padding_idx_(row_number("Embedding", padding_idx, table)) {}

Embedding::Embedding(std::int64_t num_embeddings, std::int64_t embedding_dim, EmbeddingOptions options)
    : Embedding(make_parameter(true, {num_embeddings, embedding_dim}, options.device, options.dtype),
                options.padding_idx) {
  init::normal_(weight);
  if (padding_idx_) {
    Tensor row = weight.detach()[*padding_idx_];
    init::zeros_(row);
  }
}

Embedding Embedding::from_pretrained(const Tensor& embeddings, bool freeze,
                                     std::optional<std::int64_t> padding_idx) {
  Embedding embedding(embeddings.detach(), padding_idx);
  embedding.weight.requires_grad_(!freeze);
  return embedding;
}

Tensor Embedding::forward(const Tensor& indices) {
  return functional::embedding(indices, weight, padding_idx_);
}

std::string Embedding::extra_repr() const {
  return text(weight.size(0), ", ", weight.size(1),
              padding_idx_ ? text(", padding_idx=", *padding_idx_) : "");
}

namespace functional {

Tensor embedding(const Tensor& indices, const Tensor& weight, std::optional<std::int64_t> padding_idx) {
  require_table("embedding", weight);
  const auto padding = row_number("embedding", padding_idx, weight);
  require_int64("embedding", "row numbers", indices);
  check_numbers("embedding", "index", "rows", indices, weight.size(0));
  Shape shape = indices.shape();
  shape.push_back(weight.size(1));
  const Tensor rows = weight.index_select(0, indices.flatten()).reshape(shape);
  if (!padding) return rows;
  // The same values on both sides, but those of the padding come without history.
  return where((indices == static_cast<double>(*padding)).unsqueeze(-1), rows.detach(), rows);
}

}  // namespace functional
}  // namespace torchlight::nn
