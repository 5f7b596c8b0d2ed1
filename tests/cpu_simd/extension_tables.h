#pragma once

#include <torchlight/ext/index.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>

#include "call.h"
#include "strided.h"

namespace cpu_simd_test {

inline const tl_index_table& index_table(const Backend& b) {
  return *static_cast<const tl_index_table*>(b.table().extension(b.device(), TL_EXT_INDEX));
}
inline const tl_scan_table& scan_table(const Backend& b) {
  return *static_cast<const tl_scan_table*>(b.table().extension(b.device(), TL_EXT_SCAN));
}
inline const tl_random_table& random_table(const Backend& b) {
  return *static_cast<const tl_random_table*>(b.table().extension(b.device(), TL_EXT_RANDOM));
}

}  // namespace cpu_simd_test
