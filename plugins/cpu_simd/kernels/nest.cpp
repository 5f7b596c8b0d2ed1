#include "kernels/nest.h"

namespace cpu_simd::TL_ISA {
namespace {

int64_t magnitude(int64_t x) noexcept { return x < 0 ? -x : x; }

/// Moves dimension `from` to place `to`, extents and all strides.
void assign_dimension(Nest& nest, int to, int from) noexcept {
  if (to == from) return;
  nest.extent[to] = nest.extent[from];
  for (int k = 0; k < nest.operands; ++k) nest.operand[k].stride[to] = nest.operand[k].stride[from];
}

bool drop_single_dimensions(Nest& nest) noexcept {
  int kept = 0;
  for (int d = 0; d < nest.rank; ++d) {
    if (nest.extent[d] == 0) return false;
    if (nest.extent[d] != 1) assign_dimension(nest, kept++, d);
  }
  nest.rank = kept;
  return true;
}

void walk_forwards(Nest& nest) noexcept {
  for (int d = 0; d < nest.rank; ++d) {
    if (nest.operand[0].stride[d] >= 0) continue;
    for (int k = 0; k < nest.operands; ++k) {
      Operand& operand = nest.operand[k];
      operand.data += operand.stride[d] * (nest.extent[d] - 1);
      operand.stride[d] = -operand.stride[d];
    }
  }
}

/// Is dimension a to stand outside dimension b? The output decides, then the inputs in turn.
bool belongs_outside(const Nest& nest, int a, int b) noexcept {
  for (int k = 0; k < nest.operands; ++k) {
    const int64_t x = magnitude(nest.operand[k].stride[a]), y = magnitude(nest.operand[k].stride[b]);
    if (x != y) return x > y;
  }
  return false;
}

void swap_dimensions(Nest& nest, int a, int b) noexcept {
  const auto swap = [](int64_t& x, int64_t& y) {
    const int64_t old = x;
    x = y;
    y = old;
  };
  swap(nest.extent[a], nest.extent[b]);
  for (int k = 0; k < nest.operands; ++k) swap(nest.operand[k].stride[a], nest.operand[k].stride[b]);
}

void order_by_stride(Nest& nest) noexcept {
  for (int i = 1; i < nest.rank; ++i)
    for (int j = i; j > 0 && belongs_outside(nest, j, j - 1); --j) swap_dimensions(nest, j, j - 1);
}

/// May the dimension outside `d` be walked as its continuation?
bool continues(const Nest& nest, int outer, int d) noexcept {
  for (int k = 0; k < nest.operands; ++k) {
    const Operand& operand = nest.operand[k];
    if (operand.stride[outer] != operand.stride[d] * nest.extent[d]) return false;
  }
  return true;
}

void merge_dimensions(Nest& nest) noexcept {
  int kept = 0;  // the dimension that is being grown
  for (int d = 1; d < nest.rank; ++d) {
    if (continues(nest, kept, d)) {
      const int64_t merged = nest.extent[kept] * nest.extent[d];
      assign_dimension(nest, kept, d);
      nest.extent[kept] = merged;
    } else {
      assign_dimension(nest, ++kept, d);
    }
  }
  if (nest.rank > 0) nest.rank = kept + 1;
}

}  // namespace

Operand make_operand(const tl_view& view) noexcept {
  Operand operand;
  operand.item = view.dtype.bits / 8;
  operand.data = static_cast<char*>(view.base) + view.byte_offset;
  for (uint32_t d = 0; d < view.rank; ++d) operand.stride[d] = view.stride[d] * operand.item;
  return operand;
}

Nest make_nest(const tl_view& output, const tl_view* const* inputs, int input_count) noexcept {
  Nest nest;
  nest.rank = static_cast<int>(output.rank);
  nest.operands = input_count + 1;
  for (int d = 0; d < nest.rank; ++d) nest.extent[d] = output.extent[d];
  nest.operand[0] = make_operand(output);
  for (int k = 0; k < input_count; ++k) nest.operand[k + 1] = make_operand(*inputs[k]);
  return nest;
}

bool simplify(Nest& nest) noexcept {
  if (!drop_single_dimensions(nest)) return false;
  walk_forwards(nest);
  order_by_stride(nest);
  merge_dimensions(nest);
  return true;
}

int64_t element_count(const Nest& nest) noexcept {
  int64_t count = 1;
  for (int d = 0; d < nest.rank; ++d) count *= nest.extent[d];
  return count;
}

}  // namespace cpu_simd::TL_ISA
