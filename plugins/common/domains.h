#pragma once

#include <torchlight/plugin.h>

/// The domains of ops.def as sets of dtypes, and its rows as tables by function id.
namespace plugins {

/// One bit for each dtype; 0 for an unknown one.
enum DtypeBit : uint32_t {
  bit_float32 = 1,
  bit_float64 = 2,
  bit_int64 = 4,
  bit_bool = 8,
  bit_int32 = 16,
  bit_uint8 = 32,
  bit_float16 = 64,
  bit_bfloat16 = 128
};
uint32_t dtype_bit(tl_dtype dtype) noexcept;

/// What goes in, and what comes out (0: the input's own dtype).
struct Domain {
  const char* name;
  uint32_t inputs;
  uint32_t outputs;
};

struct FunctionRow {
  const char* name;  ///< NULL: no such function
  const Domain* domain;
  uint32_t inputs;
  uint32_t params;
};

const FunctionRow& map_row(uint32_t fn) noexcept;
const FunctionRow& zip_row(uint32_t fn) noexcept;
const FunctionRow& reduce_row(uint32_t fn) noexcept;

extern const Domain domain_select;  ///< its first input is bool, the others are of `inputs`

}  // namespace plugins
