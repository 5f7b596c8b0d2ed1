#include "loader/call.h"

namespace torchlight::loader {

std::int32_t call(const OpenDevice& device, tl_stream* stream, std::uint32_t primitive,
                  const tl_args* args, tl_error* error) {
  // The head is the first member of each argument struct.
  const auto with = [&]<class Args>(std::int32_t (*function)(tl_device*, tl_stream*, const Args*,
                                                             tl_error*) noexcept) -> std::int32_t {
    return function ? function(device.handle(), stream, reinterpret_cast<const Args*>(args), error)
                    : TL_DECLINED;
  };
  const tl_backend& table = device.table();
  const tl_index_table* index = device.index_table();
  switch (primitive) {
    case TL_PRIMITIVE_MAP: return with(table.map);
    case TL_PRIMITIVE_ZIP: return with(table.zip);
    case TL_PRIMITIVE_REDUCE: return with(table.reduce);
    case TL_PRIMITIVE_MATMUL: return with(table.matmul);
    case TL_PRIMITIVE_ATTN_SOFTMAX_FW: return with(table.attn_softmax_fw);
    case TL_PRIMITIVE_ATTN_SOFTMAX_BW: return with(table.attn_softmax_bw);
    case TL_PRIMITIVE_LAYERNORM_FW: return with(table.layernorm_fw);
    case TL_PRIMITIVE_LAYERNORM_BW: return with(table.layernorm_bw);
    case primitive_gather: return index ? with(index->gather) : TL_DECLINED;
    case primitive_scatter_add: return index ? with(index->scatter_add) : TL_DECLINED;
    case primitive_scan: return device.scan_table() ? with(device.scan_table()->scan) : TL_DECLINED;
    case primitive_random:
      return device.random_table() ? with(device.random_table()->fill) : TL_DECLINED;
    case primitive_optim: return device.optim_table() ? with(device.optim_table()->step) : TL_DECLINED;
    default: return TL_DECLINED;
  }
}

}  // namespace torchlight::loader
