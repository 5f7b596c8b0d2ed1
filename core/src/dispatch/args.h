#pragma once

#include <vector>

#include "dispatch/run.h"

namespace torchlight::dispatch {

/// Any argument struct, so that a copy of it can be changed.
union AnyArgs {
  tl_args head;
  tl_map_args map;
  tl_zip_args zip;
  tl_reduce_args reduce;
  tl_matmul_args matmul;
  tl_attn_softmax_fw_args attn_softmax_fw;
  tl_attn_softmax_bw_args attn_softmax_bw;
  tl_layernorm_fw_args layernorm_fw;
  tl_layernorm_bw_args layernorm_bw;
  tl_index_args index;
  tl_scan_args scan;
  tl_random_args random;
};

/// A place for a view in an argument struct; it may hold NULL.
struct Slot {
  const tl_view** view;
  bool is_output;
};

AnyArgs copy_of(const tl_args& args);

/// Every view of the call, present or not.
std::vector<Slot> slots_of(Primitive primitive, AnyArgs& args);

}  // namespace torchlight::dispatch
