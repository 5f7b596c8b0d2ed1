#pragma once

#include <cstdint>

#include "launch.h"

namespace cuda_backend {

/// The forms of kernels/rows.cuh.
struct RowForm {
  const char* name;
  int index;
  int64_t most_columns;  // 0: any
  unsigned threads;      // 0: as many as the row needs
  int64_t rows;          // of a block

  Shape shape(int64_t row_count) const noexcept { return {(row_count + rows - 1) / rows, 1, threads}; }
};
constexpr int row_forms = 5;

/// The form for rows of so many columns; `is_line`: they lie at equal distances.
inline RowForm row_form(int64_t columns, bool is_line) noexcept {
  constexpr int64_t warps = 8;
  if (is_line) {
    if (columns <= 64) return {"warp_2", 0, 64, 256, warps};
    if (columns <= 256) return {"warp_8", 1, 256, 256, warps};
    if (columns <= 512) return {"warp_16", 2, 512, 256, warps};
    if (columns <= 8192) return {"block_8", 3, 8192, static_cast<unsigned>((columns + 255) / 256 * 32), 1};
  }
  return {"long", 4, 0, 1024, 1};
}

/// softmax.cu and layernorm.cu are selected alike.
inline void describe_rows(KernelName& n, const char* primitive, const char* way, const char* type,
                          const char* form) noexcept {
  n.file = primitive[0] == 's' ? "softmax.cu" : "layernorm.cu";
  std::snprintf(n.selection, sizeof n.selection, "-DTL_SELECT_WAY=%s -DTL_SELECT_TYPE=%s -DTL_SELECT_FORM=%s", way,
                type, form);
  std::snprintf(n.name, sizeof n.name, "tl_%s_%s_%s_%s", primitive, way, type, form);
}

}  // namespace cuda_backend
