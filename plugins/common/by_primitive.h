#pragma once

#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

#include <cstring>

#include "errors.h"

/// What the numbers and names of a table's calls stand for.
namespace plugins {

/// use(args) with the argument struct of this primitive; declined where there is none of this number.
template <class Use>
int32_t with_arguments(uint32_t primitive, const tl_args* args, tl_error* error, Use use) noexcept {
  const auto as = [&]<class Args>(const Args*) { return use(*reinterpret_cast<const Args*>(args)); };
  switch (primitive) {
    case TL_PRIMITIVE_MAP: return as(static_cast<const tl_map_args*>(nullptr));
    case TL_PRIMITIVE_ZIP: return as(static_cast<const tl_zip_args*>(nullptr));
    case TL_PRIMITIVE_REDUCE: return as(static_cast<const tl_reduce_args*>(nullptr));
    case TL_PRIMITIVE_MATMUL: return as(static_cast<const tl_matmul_args*>(nullptr));
    case TL_PRIMITIVE_ATTN_SOFTMAX_FW: return as(static_cast<const tl_attn_softmax_fw_args*>(nullptr));
    case TL_PRIMITIVE_ATTN_SOFTMAX_BW: return as(static_cast<const tl_attn_softmax_bw_args*>(nullptr));
    case TL_PRIMITIVE_LAYERNORM_FW: return as(static_cast<const tl_layernorm_fw_args*>(nullptr));
    case TL_PRIMITIVE_LAYERNORM_BW: return as(static_cast<const tl_layernorm_bw_args*>(nullptr));
    default: return fail(TL_DECLINED, error, "unknown primitive %u", primitive);
  }
}

/// The extensions that a device of ours has, and which of them an id means.
struct Extensions {
  const tl_index_table* index;
  const tl_scan_table* scan;
  const tl_random_table* random;
  const tl_optim_table* optim;

  const void* find(const char* id) const noexcept {
    if (std::strcmp(id, TL_EXT_INDEX) == 0) return index;
    if (std::strcmp(id, TL_EXT_SCAN) == 0) return scan;
    if (std::strcmp(id, TL_EXT_RANDOM) == 0) return random;
    if (std::strcmp(id, TL_EXT_OPTIM) == 0) return optim;
    return nullptr;
  }
};

}  // namespace plugins
