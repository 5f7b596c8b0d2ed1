#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {

Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index) {
  Attributes attributes;
  attributes.dim = dim;
  return record(Op::gather, gather(array_of(x), dim, array_of(index)), {&x, &index}, &attributes);
}

Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  Attributes attributes;
  attributes.dim = dim;
  return record(Op::scatter_add, scatter_add(array_of(x), dim, array_of(index), array_of(source)),
                {&x, &index, &source}, &attributes);
}

namespace {

/// The part of x that an index of this shape can reach: PyTorch lets an index be smaller in other dims.
Tensor within(const Tensor& x, const Shape& index, int axis) {
  Tensor part = x;
  for (int d = 0; d < index.rank(); ++d)
    if (d != axis && index[d] < x.shape()[d]) part = part.slice(d, 0, index[d]);
  return part;
}

/// Error for the first of these rows that isn't there. A device that was given them spread over the whole
/// result can only say where in that it met one.
void refuse_missing_row(const Tensor& index, std::int64_t rows, int axis) {
  const std::vector<std::int64_t> numbers = index.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] < 0 || numbers[i] >= rows)
      throw Error(text("index_select: index ", numbers[i], " at position ", i, ": dim ", axis, " has ",
                       rows, " entries, and they count from 0"));
}

}  // namespace

Tensor Tensor::gather(std::int64_t dim, const Tensor& index) const {
  const int axis = normalize_dim("gather", dim, shape().rank());
  if (index.dim() != this->dim())
    throw Error(text("gather: an index of shape ", index.shape().str(), " for a tensor of shape ",
                     shape().str(), "; both need the same number of dims"));
  return torchlight::gather(within(*this, index.shape(), axis), axis, index);
}

Tensor Tensor::index_select(std::int64_t dim, const Tensor& index) const {
  const Array spread = index_for_rows(array_of(index), shape(), dim);
  const int axis = normalize_dim("index_select", dim, shape().rank());
  // Where the result has no elements, the device isn't asked.
  if (spread.numel() == 0) refuse_missing_row(index, shape()[axis], axis);
  try {
    return torchlight::gather(*this, dim, make_tensor(spread));
  } catch (const Error&) {
    refuse_missing_row(index, shape()[axis], axis);
    throw;
  }
}

Tensor Tensor::scatter_add(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  const int axis = normalize_dim("scatter_add", dim, shape().rank());
  bool fits = index.dim() == this->dim() && source.dim() == this->dim(), covers = true;
  for (int d = 0; fits && d < shape().rank(); ++d) {
    fits = index.size(d) <= source.size(d) && (d == axis || index.size(d) <= size(d));
    covers = covers && (d == axis || index.size(d) == size(d));
  }
  if (!fits)
    throw Error(text("scatter_add: an index of shape ", index.shape().str(), " and a source of shape ",
                     source.shape().str(), " for a tensor of shape ", shape().str(),
                     "; an index may be smaller than both and nowhere larger, but for dim ", axis,
                     " of the tensor"));
  const Tensor terms = within(source, index.shape(), -1);
  if (covers) return torchlight::scatter_add(*this, dim, index, terms);
  const Tensor sums = torchlight::scatter_add(within(*this, index.shape(), axis), dim, index, terms);
  Tensor result = copy(*this, sums.dtype());
  within(result, index.shape(), axis).copy_(sums);
  return result;
}

void require_mask(const char* operation, const Tensor& mask) {
  if (mask.dtype() != boolean)
    throw Error(text(operation, ": the mask must be bool, it is ", name_of(mask.dtype())));
}

Tensor Tensor::masked_fill(const Tensor& mask, double value) const {
  require_mask("masked_fill", mask);
  try {
    broadcast_shapes(shape(), mask.shape());
  } catch (const Error& error) {
    throw Error(text("masked_fill: tensor and mask: ", error.what()));
  }
  return where(mask, value, *this);
}

}  // namespace torchlight
