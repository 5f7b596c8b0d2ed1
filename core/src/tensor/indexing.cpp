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
  return torchlight::gather(*this, dim, make_tensor(spread));
}

Tensor Tensor::scatter_add(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  return torchlight::scatter_add(*this, dim, index, source);
}

Tensor Tensor::masked_fill(const Tensor& mask, double value) const {
  broadcast_shapes(shape(), mask.shape());
  return where(mask, value, *this);
}

}  // namespace torchlight
