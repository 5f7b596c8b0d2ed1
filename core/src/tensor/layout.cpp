#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {
namespace {

Attributes with_dims(const Dims& dims) {
  Attributes attributes;
  attributes.dims = dims;
  return attributes;
}

Attributes along(std::int64_t dim, std::int64_t size = 0, std::int64_t step = 0) {
  Attributes attributes;
  attributes.dim = dim;
  attributes.size = size;
  attributes.step = step;
  return attributes;
}

/// A window given by the array's own layout, for the values; and the same in row-major terms, for the rule.
Tensor windowed(const Tensor& x, const Window& actual, const Window& dense) {
  const Array& array = array_of(x);
  Attributes attributes;
  attributes.window = dense;
  return record_view(Op::window,
                     array.window(actual.shape, actual.strides, array.offset() + actual.offset), x,
                     &attributes);
}

/// Another shape for the same elements, which needs no copy: dims of 1 come and go.
Tensor viewed(const Tensor& x, const Shape& shape) {
  return record_view(Op::reshape, try_view(array_of(x), shape), x);
}

}  // namespace

// ---- as functions, for rules

Tensor reshape(const Tensor& x, const Shape& shape) {
  return record_view(Op::reshape, reshape(array_of(x), shape), x);
}

Tensor permute(const Tensor& x, const Dims& dims) {
  const Attributes attributes = with_dims(dims);
  return record_view(Op::permute, permute(array_of(x), dims), x, &attributes);
}

Tensor transpose(const Tensor& x, std::int64_t dim0, std::int64_t dim1) {
  const int rank = x.shape().rank();
  const int a = normalize_dim("transpose", dim0, rank), b = normalize_dim("transpose", dim1, rank);
  Dims dims = Shape::filled(rank, 0);
  for (int d = 0; d < rank; ++d) dims[d] = d;
  std::swap(dims[a], dims[b]);
  return permute(x, dims);
}

Tensor expand(const Tensor& x, const Shape& shape) {
  return record_view(Op::expand, expand(array_of(x), shape), x);
}

Tensor window(const Tensor& x, const Window& w) {
  Attributes attributes;
  attributes.window = w;
  return record_view(Op::window, window(array_of(x), w), x, &attributes);
}

Tensor replace_window(const Tensor& x, const Tensor& values, const Window& w) {
  Attributes attributes;
  attributes.window = w;
  return record(Op::replace_window, replace_window(array_of(x), array_of(values), w), {&x, &values},
                &attributes);
}

Tensor unfold(const Tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step) {
  if (x.dim() == 0) throw Error("unfold: needs at least one dim, got a tensor of shape ()");
  const Attributes attributes = along(normalize_dim("unfold", dim, x.shape().rank()), size, step);
  return record_view(Op::unfold, unfold(array_of(x), dim, size, step), x, &attributes);
}

Tensor fold(const Tensor& x, std::int64_t dim, std::int64_t length, std::int64_t step) {
  const Attributes attributes = along(normalize_dim("fold", dim, x.shape().rank() - 1), length, step);
  return record(Op::fold, fold(array_of(x), dim, length, step), {&x}, &attributes);
}

Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim) {
  if (tensors.empty()) throw Error("cat: the list of tensors is empty");
  std::vector<Array> arrays;
  std::vector<const Tensor*> inputs;
  for (const Tensor& t : tensors) {
    arrays.push_back(array_of(t));
    inputs.push_back(&t);
  }
  const Attributes attributes = along(normalize_dim("cat", dim, tensors[0].shape().rank()));
  return record(Op::cat, cat(arrays, dim), inputs, &attributes);
}

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim) {
  if (tensors.empty()) throw Error("stack: the list of tensors is empty");
  const int d = normalize_dim("stack", dim, tensors[0].shape().rank() + 1);
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) {
    if (!(t.shape() == tensors[0].shape()))
      throw Error(
          text("stack: shapes ", tensors[0].shape().str(), " and ", t.shape().str(), " differ"));
    parts.push_back(t.unsqueeze(d));
  }
  return cat(parts, d);
}

// ---- the methods

Tensor Tensor::view(const Shape& shape) const {
  const Shape target = infer_shape("view", this->shape(), shape);
  if (!try_view(array_of(*this), target).defined())
    throw Error(text("view: a tensor of shape ", this->shape().str(), " and strides ", strides().str(),
                     " can't be seen as ", target.str(), " without a copy; use reshape"));
  return viewed(*this, target);
}
Tensor Tensor::reshape(const Shape& shape) const { return torchlight::reshape(*this, shape); }
Tensor Tensor::permute(const Dims& dims) const { return torchlight::permute(*this, dims); }
Tensor Tensor::transpose(std::int64_t dim0, std::int64_t dim1) const {
  return torchlight::transpose(*this, dim0, dim1);
}
Tensor Tensor::t() const {
  if (dim() > 2)
    throw Error(text("t: takes a matrix, got shape ", shape().str(), "; use transpose or permute"));
  return dim() == 2 ? torchlight::transpose(*this, 0, 1) : *this;
}

Tensor Tensor::flatten(std::int64_t start_dim, std::int64_t end_dim) const {
  if (dim() == 0) return reshape({1});
  const int first = normalize_dim("flatten", start_dim, shape().rank());
  const int last = normalize_dim("flatten", end_dim, shape().rank());
  if (first > last)
    throw Error(text("flatten: start_dim ", start_dim, " comes after end_dim ", end_dim));
  Shape target;
  std::int64_t run = 1;
  for (int d = 0; d < shape().rank(); ++d) {
    if (d >= first && d <= last) run *= shape()[d];
    if (d < first || d > last)
      target.push_back(shape()[d]);
    else if (d == last)
      target.push_back(run);
  }
  return reshape(target);
}

Tensor Tensor::squeeze(const Dims& dims) const {
  if (dim() == 0) return *this;
  const std::uint32_t mask = dims_mask("squeeze", dims, shape().rank());
  Shape target;
  for (int d = 0; d < shape().rank(); ++d)
    if (!(mask >> d & 1) || shape()[d] != 1) target.push_back(shape()[d]);
  return viewed(*this, target);
}

Tensor Tensor::unsqueeze(std::int64_t dim) const {
  Shape target = shape();
  target.insert(normalize_dim("unsqueeze", dim, shape().rank() + 1), 1);
  return viewed(*this, target);
}

Tensor Tensor::expand(const Shape& shape) const { return torchlight::expand(*this, shape); }

Tensor Tensor::slice(std::int64_t dim, std::optional<std::int64_t> start,
                     std::optional<std::int64_t> end, std::int64_t step) const {
  return windowed(*this, slice_window(shape(), strides(), dim, start, end, step),
                  slice_window(shape(), contiguous_strides(shape()), dim, start, end, step));
}

Tensor Tensor::select(std::int64_t dim, std::int64_t index) const {
  const int d = normalize_dim("select", dim, shape().rank());
  const std::int64_t size = shape()[d], at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    throw Error(
        text("select: index ", index, " is out of range for dim ", dim, " of shape ", shape().str()));
  const auto one = [&](const Strides& strides) {
    Window w{shape(), strides, at * strides[d]};
    w.shape.erase(d);
    w.strides.erase(d);
    return w;
  };
  return windowed(*this, one(strides()), one(contiguous_strides(shape())));
}

Tensor Tensor::index(std::initializer_list<Index> indices) const {
  Tensor result = *this;
  std::int64_t dim = 0;
  for (const Index& i : indices) {
    if (i.kind == Index::Kind::new_dim) {
      result = result.unsqueeze(dim++);
      continue;
    }
    if (dim >= result.dim())
      throw Error(text("index: too many indices for a tensor of shape ", shape().str()));
    if (i.kind == Index::Kind::number)
      result = result.select(dim, i.number);
    else
      result = result.slice(dim++, i.slice.start, i.slice.end, i.slice.step);
  }
  return result;
}

Tensor Tensor::flip(const Dims& dims) const {
  if (dims.empty()) return *this;
  const std::uint32_t mask = dims_mask("flip", dims, shape().rank());
  const auto turned = [&](Strides strides) {
    Window w{shape(), strides, 0};
    for (int d = 0; d < shape().rank(); ++d) {
      if (!(mask >> d & 1)) continue;
      if (shape()[d] > 0) w.offset += (shape()[d] - 1) * strides[d];
      w.strides[d] = -strides[d];
    }
    return w;
  };
  return windowed(*this, turned(strides()), turned(contiguous_strides(shape())));
}

Tensor Tensor::unfold(std::int64_t dim, std::int64_t size, std::int64_t step) const {
  return torchlight::unfold(*this, dim, size, step);
}

std::vector<Tensor> Tensor::split(std::int64_t size, std::int64_t dim) const {
  const int d = normalize_dim("split", dim, shape().rank());
  if (size < 1) throw Error(text("split: parts of size ", size, "; must be at least 1"));
  std::vector<Tensor> parts;
  const std::int64_t length = shape()[d];
  for (std::int64_t at = 0; at == 0 || at < length; at += size)
    parts.push_back(slice(d, at, std::min(at + size, length)));
  return parts;
}

std::vector<Tensor> Tensor::chunk(std::int64_t count, std::int64_t dim) const {
  if (count < 1) throw Error(text("chunk: ", count, " parts; must be at least 1"));
  const std::int64_t length = size(dim);
  return split(std::max<std::int64_t>(1, length / count + (length % count != 0)), dim);
}

}  // namespace torchlight
