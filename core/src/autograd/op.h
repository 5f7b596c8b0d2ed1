#pragma once

#include <cstdint>

namespace torchlight {

/// Every operation that history knows: those of ops.def, then the ones the core adds.
enum class Op : std::uint8_t {
#define TL_MAP(id, name, ...) name,
#define TL_ZIP(id, name, ...) name,
#define TL_REDUCE(id, name, ...) name,
#include <torchlight/ops.def>
  // reductions of their own
  std,
  logsumexp,
  norm,
  scan,
  // products and fused
  matmul,
  attn_softmax,
  log_softmax,
  layer_norm,
  // layout
  reshape,
  permute,
  expand,
  window,
  replace_window,
  unfold,
  fold,
  cat,
  transfer,
  // by index
  gather,
  scatter_add,
  // not in the table of rules
  custom,
  leaf,
};

inline constexpr int op_count = static_cast<int>(Op::leaf) + 1;

/// "add", "matmul", …
const char* name_of(Op op);

}  // namespace torchlight
