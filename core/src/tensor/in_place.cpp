#include <cmath>
#include <limits>

#include "autograd/mode.h"
#include "dispatch/observer.h"
#include "support/text.h"
#include "tensor/functions.h"

/// Changes in place: the storage is written, and the history of the tensor, and of the tensor it is a
/// view of, goes on from the new values.
namespace torchlight {
namespace {

void require_writable(const char* operation, const Tensor& x) {
  if (array_of(x).is_expanded())
    throw Error(text(operation, "_: a tensor of shape ", x.shape().str(), " and strides ",
                     x.strides().str(),
                     " has elements that share memory (expand or unfold); write to a clone()"));
  if (autograd::is_recording() && node_of(x) && node_of(x)->is_leaf())
    throw Error(
        text(operation,
             "_: a leaf that requires grad can't be changed in place while history is recorded; "
             "do it under no_grad, or work on a clone()"));
  const TensorImpl* base = x.impl().base.get();
  if (autograd::is_recording() && base && base->variable.node && base->variable.node->is_leaf() &&
      array_of(x).shares_storage(base->variable.array))
    throw Error(
        text(operation,
             "_: a view of a leaf that requires grad can't be changed in place while history is "
             "recorded; do it under no_grad, or work on a clone()"));
}

/// The view's place in its base, which is stored row-major from its first element.
Window place_in_base(const char* operation, const Array& view, const Array& base) {
  if (!base.is_contiguous())
    throw Error(text(operation,
                     "_: this view of a tensor that isn't contiguous can't be changed in place while "
                     "history is recorded; write to a clone()"));
  return {view.shape(), view.strides(), view.offset() - base.offset()};
}

/// The base's new history: its old one, with the window's part replaced by the view's new value. The view
/// is then a window of that.
void rebase(const char* operation, const Tensor& view, TensorImpl& base) {
  Attributes attributes;
  attributes.window = place_in_base(operation, array_of(view), base.variable.array);
  const Tensor before = make_tensor(base.variable.array, base.variable.node);
  Ref<Node> replaced = make_node(Op::replace_window, std::array{&before, &view}, &attributes);
  if (!replaced) return;
  base.variable.node = replaced;
  base.history_version = base.variable.array.storage().version();
  const Tensor after = make_tensor(base.variable.array, replaced);
  view.impl().variable.node = make_node(Op::window, std::array{&after}, &attributes);
}

/// Runs `write` on the tensor's array with history around it. inputs[0] is the tensor itself, or missing
/// where its old values don't count.
template <class Write>
Tensor& change(const char* name, Op op, Tensor& self, Inputs inputs, const Attributes* attributes,
               Write&& write) {
  require_writable(name, self);
  TensorImpl& impl = self.impl();
  if (dispatch::is_observed()) [[unlikely]]
    tell_observers(self);
  Ref<Node> node = make_node(op, inputs, attributes);
  if (node && !is_floating(self.dtype())) node = nullptr;
  write(impl.variable.array);
  impl.variable.array.storage().changed();
  if (node) save_output(*node, impl.variable.array);
  if (autograd::is_recording()) impl.variable.node = node;
  impl.history_version = impl.variable.array.storage().version();
  TensorImpl* base = impl.base.get();
  const bool tracked = base && impl.variable.array.shares_storage(base->variable.array) &&
                       autograd::is_recording() && (base->variable.node || node);
  if (tracked)
    rebase(name, self, *base);
  else if (base && !autograd::is_recording())
    base->history_version = impl.history_version;
  return self;
}

Tensor& unary(const char* name, Op op, Fn fn, Tensor& self, const Params& params = {}) {
  Attributes attributes;
  attributes.params = params;
  return change(name, op, self, std::array<const Tensor*, 1>{&self}, &attributes,
                [&](const Array& array) { map_into(fn, array, array, params); });
}

Tensor& binary(const char* name, Op op, Fn fn, Tensor& self, const Tensor& other) {
  return change(name, op, self, std::array<const Tensor*, 2>{&self, &other}, nullptr,
                [&](const Array& array) {
                  const Array* inputs[] = {&array, &array_of(other)};
                  zip_into(fn, inputs, array);
                });
}

}  // namespace

#define TORCHLIGHT_UNARY(name) \
  Tensor& Tensor::name##_() { return unary(#name, Op::name, TL_MAP_##name, *this); }
#define TORCHLIGHT_BINARY(name)                                  \
  Tensor& Tensor::name##_(const Tensor& other) {                 \
    return binary(#name, Op::name, TL_ZIP_##name, *this, other); \
  }
#include <torchlight/uniform_ops.h>

#define TORCHLIGHT_SCALAR(name, row, scalar) \
  Tensor& Tensor::name##_(double other) { return unary(#name, Op::row, TL_MAP_##row, *this, {scalar}); }
TORCHLIGHT_SCALAR(add, add_scalar, other)
TORCHLIGHT_SCALAR(sub, add_scalar, -other)
TORCHLIGHT_SCALAR(mul, mul_scalar, other)
TORCHLIGHT_SCALAR(div, div_scalar, other)
TORCHLIGHT_SCALAR(pow, pow_scalar, other)
#undef TORCHLIGHT_SCALAR

Tensor& Tensor::maximum_(double other) { return maximum_(scalar_beside(*this, other)); }
Tensor& Tensor::minimum_(double other) { return minimum_(scalar_beside(*this, other)); }

Tensor& Tensor::clamp_(std::optional<double> min, std::optional<double> max) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Worked out first: nothing has changed where the result doesn't fit.
  if (dtype() == int64 || dtype() == boolean) {
    const Tensor result = torchlight::clamp(*this, min, max);
    if (result.dtype() != dtype())
      throw Error(text("clamp_: the result is ", name_of(result.dtype()), ", which a tensor of ",
                       name_of(dtype()), " can't hold in place; use clamp"));
    return copy_(result);
  }
  return unary("clamp", Op::clamp, TL_MAP_clamp, *this,
               {min.value_or(-infinity), max.value_or(infinity)});
}

Tensor& Tensor::fill_(double value) {
  require_value_of("fill_", value, dtype());
  // What was there before has no influence any more: no input, no history but the base's.
  return change("fill", Op::copy, *this, {}, nullptr, [&](const Array& array) { fill(array, value); });
}

Tensor& Tensor::copy_(const Tensor& source) {
  const Tensor here = torchlight::to(source, array_of(*this).device());
  Shape common;
  try {
    common = broadcast_shapes(here.shape(), shape());
  } catch (const Error&) {
  }
  if (!(common == shape()))
    throw Error(
        text("copy_: a source of shape ", here.shape().str(), " doesn't broadcast to ", shape().str()));
  return change("copy", Op::copy, *this, std::array<const Tensor*, 1>{&here}, nullptr,
                [&](const Array& array) { copy_into(array_of(here), array); });
}

Tensor& Tensor::masked_fill_(const Tensor& mask, double value) {
  require_mask("masked_fill_", mask);
  const Tensor filler = scalar_beside(*this, value);
  if (promote("masked_fill_", dtype(), filler.dtype()) != dtype())
    throw Error(text("masked_fill_: ", value, " is no value of ", name_of(dtype())));
  return change("masked_fill", Op::where, *this, std::array<const Tensor*, 3>{&mask, &filler, this},
                nullptr, [&](const Array& array) {
                  const Array* inputs[] = {&array_of(mask), &array_of(filler), &array};
                  zip_into(TL_ZIP_where, inputs, array);
                });
}

Tensor& Tensor::addcmul_(const Tensor& a, const Tensor& b, double value) {
  const Attributes attributes = with_params(value);
  return change("addcmul", Op::addcmul, *this, std::array<const Tensor*, 3>{this, &a, &b}, &attributes,
                [&](const Array& array) {
                  const Array* inputs[] = {&array, &array_of(a), &array_of(b)};
                  zip_into(TL_ZIP_addcmul, inputs, array, attributes.params);
                });
}

}  // namespace torchlight
