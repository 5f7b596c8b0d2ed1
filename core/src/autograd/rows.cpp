#include "autograd/rows.h"

#include <algorithm>

namespace torchlight::autograd {
namespace {

/// Whether an index of gather takes whole rows by a list, as index_select lays it out.
bool selects_rows(std::int64_t dim, const Array& index) {
  if (normalize_dim("gather", dim, index.rank()) != 0) return false;
  for (int d = 1; d < index.rank(); ++d)
    if (index.strides()[d] != 0) return false;
  return true;
}

/// The list, copied: the user may change the index after backward.
std::vector<std::int64_t> rows_of(const Array& index) {
  const Shape shape{index.shape()[0]};
  const Strides strides{index.strides()[0]};
  std::vector<std::int64_t> rows(static_cast<std::size_t>(shape[0]));
  to_host(index.window(shape, strides, index.offset()), rows.data());
  return rows;
}

}  // namespace

Array owned(const Array& x) {
  return x.storage().references() == 1 && x.is_contiguous() ? x : copy(x, x.dtype());
}

// A row that is stepped by itself costs as much as a few hundred elements of a sweep, and its elements more
// than others: they are copied to and fro.
bool are_few(std::int64_t rows, const Array& table) {
  constexpr std::int64_t row_cost = 256, element_cost = 4;
  const std::int64_t all = table.numel(), row = all / std::max<std::int64_t>(1, table.shape()[0]);
  return rows < all / (row_cost + element_cost * row);
}

bool RowGradients::keep(const Array& of, std::int64_t dim, const Array& index, const Array& values) {
  const std::int64_t count = index.shape()[0];
  if (!selects_rows(dim, index) || !are_few(row_count + count, of)) return false;
  if (!of.device().is_host() || values.dtype() != of.dtype()) return false;
  parts.push_back({rows_of(index), owned(values)});
  table = of.without_values();
  row_count += count;
  return true;
}

Array RowGradients::whole() const {
  const Array sum = full(table.shape(), 0, table.dtype(), table.device());
  for (const auto& [rows, values] : parts) {
    const Array list =
        from_host(rows.data(), {static_cast<std::int64_t>(rows.size())}, int64, table.device());
    scatter_add_into(sum, 0, index_for_rows(list, table.shape(), 0), values);
  }
  return sum;
}

}  // namespace torchlight::autograd
