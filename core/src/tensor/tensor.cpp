#include <torchlight/tensor.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "autograd/mode.h"
#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {

// ---- the handle

Tensor::Tensor(const Tensor& other) : impl_(other.impl_) {
  if (impl_) impl_->retain();
}
Tensor& Tensor::operator=(const Tensor& other) & { return *this = Tensor(other); }
Tensor& Tensor::operator=(Tensor&& other) & noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}
void Tensor::operator=(const Tensor& values) && {
  if (this != &values) copy_(values);
}
void Tensor::operator=(double value) && { fill_(value); }
Tensor::~Tensor() { Ref<TensorImpl>::adopt(impl_); }

TensorImpl& Tensor::impl() const {
  if (!impl_) throw Error("an undefined tensor was used; it holds nothing yet");
  return *impl_;
}
Tensor Tensor::adopt(TensorImpl* impl) { return Tensor(impl); }

// ---- attributes

const Shape& Tensor::shape() const { return array_of(*this).shape(); }
std::int64_t Tensor::size(std::int64_t dim) const {
  return shape()[normalize_dim("size", dim, shape().rank())];
}
const Strides& Tensor::strides() const { return array_of(*this).strides(); }
std::int64_t Tensor::numel() const { return array_of(*this).numel(); }
std::int64_t Tensor::dim() const { return shape().rank(); }
Dtype Tensor::dtype() const { return array_of(*this).dtype(); }
Device Tensor::device() const { return Device(array_of(*this).device()); }
bool Tensor::is_contiguous() const { return array_of(*this).is_contiguous(); }
bool Tensor::is_view_of(const Tensor& other) const {
  return array_of(*this).shares_storage(array_of(other));
}
namespace {

void require_gradients_for(const char* operation, Dtype dtype) {
  if (dtype != float32 && dtype != float64)
    throw Error(text(operation, ": only float32 and float64 tensors have gradients, this one is ",
                     name_of(dtype)));
}

}  // namespace

std::uint64_t Tensor::version() const { return array_of(*this).storage().version(); }

// ---- values

namespace {

/// A half-precision number as the float it stands for.
float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction ? std::nanf("") : sign * HUGE_VALF;
  const float size = exponent ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                              : std::ldexp(static_cast<float>(fraction), -24);
  return sign * size;
}

float bfloat_value(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

template <class T> T read(const void* element, Dtype dtype) {
  const auto as = [&](auto value) {
    std::memcpy(&value, element, sizeof(value));
    return value;
  };
  switch (dtype) {
    case Dtype::float32: return static_cast<T>(as(float()));
    case Dtype::float64: return static_cast<T>(as(double()));
    case Dtype::int64: return static_cast<T>(as(std::int64_t()));
    case Dtype::int32: return static_cast<T>(as(std::int32_t()));
    case Dtype::boolean:
    case Dtype::uint8: return static_cast<T>(as(std::uint8_t()));
    case Dtype::float16: return static_cast<T>(half_value(as(std::uint16_t())));
    case Dtype::bfloat16: return static_cast<T>(bfloat_value(as(std::uint16_t())));
  }
  return T();
}

}  // namespace

template <class T> T Tensor::item() const {
  if (numel() != 1)
    throw Error(text("item: takes a tensor of one element, this one has shape ", shape().str()));
  alignas(8) unsigned char element[8];
  to_host(array_of(*this), element);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (is_floating(dtype()))
      require_in_range("item", read<double>(element, dtype()), dtype_of<T>);
    else if (const auto whole = read<std::int64_t>(element, dtype()); !std::in_range<T>(whole))
      throw Error(text("item: ", name_of(dtype_of<T>), " can't hold ", whole));
  }
  return read<T>(element, dtype());
}

template <class T> std::vector<T> Tensor::to_vector() const {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(numel() * size_of(dtype())));
  to_host(array_of(*this), bytes.data());
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(numel()));
  for (std::int64_t i = 0; i < numel(); ++i)
    values.push_back(read<T>(bytes.data() + i * size_of(dtype()), dtype()));
  return values;
}

template <class T> T* Tensor::data() const {
  if (!array_of(*this).device().is_host())
    throw DeviceError(text("data: the tensor is on ", device().name(),
                           ", whose memory the program can't see; use to(\"cpu\") first"));
  if (dtype() != dtype_of<T>)
    throw Error(
        text("data: asked for ", name_of(dtype_of<T>), ", but the tensor is ", name_of(dtype())));
  return static_cast<T*>(array_of(*this).host_data());
}

#define TORCHLIGHT_VALUES(T)          \
  template T Tensor::item<T>() const; \
  template std::vector<T> Tensor::to_vector<T>() const;
TORCHLIGHT_VALUES(float)
TORCHLIGHT_VALUES(double)
TORCHLIGHT_VALUES(std::int64_t)
TORCHLIGHT_VALUES(int)
TORCHLIGHT_VALUES(bool)
TORCHLIGHT_VALUES(std::uint8_t)
#undef TORCHLIGHT_VALUES
template float* Tensor::data<float>() const;
template double* Tensor::data<double>() const;
template std::int64_t* Tensor::data<std::int64_t>() const;
template std::int32_t* Tensor::data<std::int32_t>() const;
template std::uint8_t* Tensor::data<std::uint8_t>() const;
template bool* Tensor::data<bool>() const;

// ---- autograd

bool Tensor::requires_grad() const { return static_cast<bool>(node_of(*this)); }

Tensor& Tensor::requires_grad_(bool on) {
  TensorImpl& self = impl();
  if (on) require_gradients_for("requires_grad_", dtype());
  if (!is_leaf()) {
    if (!on) throw Error("requires_grad_: a tensor with history can't lose it in place; use detach()");
    return *this;
  }
  if (!on)
    self.variable.node = nullptr;
  else if (!self.variable.node)
    self.variable.node = make_ref<Node>(Op::leaf, 0);
  return *this;
}

bool Tensor::is_leaf() const { return !node_of(*this) || node_of(*this)->is_leaf(); }

Tensor Tensor::grad() const {
  const Ref<Node>& node = node_of(*this);
  if (!node || !node->grad().array.defined()) return {};
  return make_tensor(node->grad().array, node->grad().node);
}

void Tensor::set_grad(Tensor gradient) {
  const Ref<Node>& node = node_of(*this);
  if (!node) throw Error("set_grad: this tensor doesn't require grad; call requires_grad_() first");
  if (!gradient.defined()) {
    node->set_grad({});
    return;
  }
  require_gradient_of("set_grad", array_of(*this), array_of(gradient));
  node->set_grad({array_of(gradient), nullptr});  // its history could lead back here and never be freed
}

void Tensor::zero_grad() {
  if (const Ref<Node>& node = node_of(*this)) node->set_grad({});
}

void Tensor::retain_grad() {
  const Ref<Node>& node = node_of(*this);
  if (!node) throw Error("retain_grad: this tensor doesn't require grad");
  node->retains_grad = true;
}

std::uint64_t Tensor::register_hook(std::function<Tensor(const Tensor&)> hook) {
  const Ref<Node>& node = node_of(*this);
  if (!node) throw Error("register_hook: this tensor doesn't require grad, no gradient will pass");
  return node->add_hook([hook = std::move(hook)](Variable& gradient) {
    const Tensor replaced = hook(make_tensor(gradient.array, gradient.node));
    if (!replaced.defined()) return;
    require_gradient_of("hook", gradient.array, array_of(replaced));
    gradient = replaced.impl().variable;
  });
}

void Tensor::remove_hook(std::uint64_t id) {
  if (const Ref<Node>& node = node_of(*this)) node->remove_hook(id);
}

// Not a view in the sense of `base`: changing it in place leaves the history alone, the version counter
// alone tells.
Tensor Tensor::detach() const { return make_tensor(array_of(*this)); }

Tensor& Tensor::set_data(const Tensor& source) {
  TensorImpl& self = impl();
  if (!is_leaf()) throw Error("set_data: only leaves can be given other data; this tensor has history");
  const bool requires_gradient = requires_grad();
  if (requires_gradient) {
    require_gradients_for("set_data", source.dtype());
    self.variable.node->is_replaced = true;
  }
  self.variable = {array_of(source), nullptr};
  self.base = nullptr;
  self.history_version = source.version();
  return requires_gradient ? requires_grad_() : *this;
}

// ---- copies

Tensor Tensor::clone() const { return copy(*this, dtype()); }
Tensor Tensor::contiguous() const { return is_contiguous() ? *this : copy(*this, dtype()); }
Tensor Tensor::to(Device device) const { return torchlight::to(*this, device.handle()); }
Tensor Tensor::to(Dtype dtype) const { return cast(*this, dtype); }

}  // namespace torchlight
