#pragma once

#include "kernels/rows.cuh"
#include "launch.h"

/// The launches of softmax.cu and layernorm.cu.
namespace cuda_backend {

inline Shape shape_of_rows(const kernels::RowForm& form, int64_t rows) noexcept {
  return {(rows + form.rows - 1) / form.rows, 1, form.threads};
}

inline void describe_rows(KernelName& n, const char* file, const char* primitive, const char* way,
                          const char* type, const char* form) noexcept {
  n.file = file;
  std::snprintf(n.selection, sizeof n.selection,
                "-DTL_SELECT_WAY=%s -DTL_SELECT_TYPE=%s -DTL_SELECT_FORM=%s", way, type, form);
  std::snprintf(n.name, sizeof n.name, "tl_%s_%s_%s_%s", primitive, way, type, form);
}

}  // namespace cuda_backend
