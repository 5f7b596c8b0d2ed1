#include "tensor/row_step.h"

#include <algorithm>
#include <span>

#include "array/operations.h"
#include "dispatch/memory.h"
#include "tensor/impl.h"

namespace torchlight {
namespace {

using autograd::RowGradients;
using Rows = std::vector<std::int64_t>;

Array list_of(const Rows& rows, OpenDevice& device) {
  return from_host(rows.data(), {static_cast<std::int64_t>(rows.size())}, int64, device);
}

/// Each row once, in order.
Rows distinct(std::span<const RowGradients> passes) {
  Rows rows;
  for (const RowGradients& pass : passes)
    for (const auto& part : pass.parts) rows.insert(rows.end(), part.rows.begin(), part.rows.end());
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

/// The same gradient of a table that has these rows only.
RowGradients among(const Rows& rows, const RowGradients& pass) {
  RowGradients result = pass;
  Shape shape = pass.table.shape();
  shape[0] = static_cast<std::int64_t>(rows.size());
  result.table = pass.table.window(shape, contiguous_strides(shape), 0);
  for (auto& part : result.parts)
    for (std::int64_t& row : part.rows) row = std::ranges::lower_bound(rows, row) - rows.begin();
  return result;
}

}  // namespace

std::optional<TouchedRows> touched_rows(const Tensor& param) {
  const Ref<Node>& node = node_of(param);
  const Array& array = array_of(param);
  if (!node || node->rows().empty()) return {};
  // A change in a view is its base's, too.
  if (param.impl().base || !array.is_contiguous()) return {};
  const std::span<const RowGradients> passes = node->rows();
  const Rows rows = distinct(passes);
  Array grad;
  for (const RowGradients& pass : passes) {
    const Array more = among(rows, pass).whole();
    grad = grad.defined() ? grad + more : more;
  }
  return TouchedRows{rows, make_tensor(grad)};
}

Tensor take_rows(const Tensor& x, const Rows& rows) {
  const Array& array = array_of(x);
  return make_tensor(gather(array, 0, index_for_rows(list_of(rows, array.device()), array.shape(), 0)));
}

void put_rows(const Tensor& x, const Rows& rows, const Tensor& values) {
  const Array &to = array_of(x), from = contiguous(array_of(values));
  const auto row = static_cast<std::size_t>(to.strides()[0] * size_of(to.dtype()));
  tl_memory place = to.storage().memory();
  const std::uint64_t start =
      place.byte_offset + static_cast<std::uint64_t>(to.offset() * size_of(to.dtype()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    place.byte_offset = start + static_cast<std::uint64_t>(rows[i]) * row;
    dispatch::copy_in(to.device(), place, static_cast<const char*>(from.host_data()) + i * row, row);
  }
  to.storage().changed();
  x.impl().history_version = to.storage().version();
}

}  // namespace torchlight
