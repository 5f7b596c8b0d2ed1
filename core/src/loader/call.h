#pragma once

#include <torchlight/plugin.h>

#include "loader/open_device.h"

namespace torchlight::loader {

/// Ids of the extensions' functions, after those of the table's primitives.
enum : std::uint32_t {
  primitive_gather = TL_PRIMITIVE_LAYERNORM_BW + 1,
  primitive_scatter_add,
  primitive_scan,
  primitive_random,
  primitive_optim
};

/// Calls the one function that the id names, with its own argument struct; TL_DECLINED where there is none.
std::int32_t call(const OpenDevice& device, tl_stream* stream, std::uint32_t primitive,
                  const tl_args* args, tl_error* error);

}  // namespace torchlight::loader
