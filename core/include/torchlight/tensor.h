#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <torchlight/device.h>
#include <torchlight/dtype.h>
#include <torchlight/error.h>
#include <torchlight/shape.h>

namespace torchlight {
class TensorImpl;
}

#pragma GCC visibility push(default)
namespace torchlight {

/// What a factory makes: zeros({2, 3}, {.dtype = float64, .device = "cuda", .requires_grad = true}).
struct Options {
  std::optional<Dtype> dtype = {};    ///< float32 where the values don't say otherwise
  std::optional<Device> device = {};  ///< the default device
  bool requires_grad = false;
};

/// A range of one dim for Tensor::index: Slice(start, end, step). Negative bounds count from the end,
/// missing ones mean the whole; a negative step walks backwards.
struct Slice {
  Slice() = default;
  Slice(std::optional<std::int64_t> from, std::optional<std::int64_t> to = {}, std::int64_t by = 1)
      : start(from), end(to), step(by) {}
  std::optional<std::int64_t> start, end;
  std::int64_t step = 1;
};

/// One entry of Tensor::index: a number (drops the dim), a Slice, or None (adds a dim of 1).
struct Index {
  enum class Kind { number, slice, new_dim };
  Index(std::int64_t i) : kind(Kind::number), number(i) {}
  Index(int i) : kind(Kind::number), number(i) {}
  Index(Slice s) : kind(Kind::slice), slice(s) {}
  Index(std::nullopt_t) : kind(Kind::new_dim) {}
  Kind kind;
  std::int64_t number = 0;
  Slice slice;
};

struct BackwardOptions {
  bool retain_graph = false;  ///< keep saved values, so that backward can run again
  bool create_graph = false;  ///< record the gradient's own history, for higher derivatives
};

/// An n-dimensional array with history. A cheap handle: copies share the same tensor, views share
/// storage, clone() copies. Operations are methods here and functions of the same names in ops.h, where
/// each is described.
///
/// Threads: different tensors may be used from different threads; one tensor by one writer at a time.
class Tensor {
 public:
  Tensor() noexcept : impl_(nullptr) {}  ///< undefined: holds nothing
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(const Tensor& other) &;
  Tensor& operator=(Tensor&& other) & noexcept;
  /// Assigning to what an operation gave, as in x[0] = y or x.slice(0, 1, 3) = 5, fills that: copy_, fill_.
  void operator=(const Tensor& values) &&;
  void operator=(double value) &&;
  ~Tensor();

  // ---- attributes
  bool defined() const { return impl_ != nullptr; }
  const Shape& shape() const;
  std::int64_t size(std::int64_t dim) const;
  const Strides& strides() const;  ///< in elements
  std::int64_t numel() const;
  std::int64_t dim() const;  ///< the number of dims
  Dtype dtype() const;
  Device device() const;
  bool is_contiguous() const;
  bool is_view_of(const Tensor& other) const;  ///< whether both share storage
  std::uint64_t version() const;               ///< counts in-place changes of the storage

  // ---- values
  /// The one element, converted. Error unless numel() is 1.
  template <class T> T item() const;
  /// All elements in row-major order, copied and converted.
  template <class T> std::vector<T> to_vector() const;
  /// The first element in host memory; strides apply. Error where the device isn't the host's or T
  /// isn't the element type. Writing through it is not seen by the version counter.
  template <class T> T* data() const;
  std::string str() const;  ///< as printed by <<

  // ---- autograd
  bool requires_grad() const;
  Tensor& requires_grad_(bool on = true);  ///< leaves of float32 or float64 only
  bool is_leaf() const;
  Tensor grad() const;         ///< accumulated by backward; undefined before
  void set_grad(Tensor grad);  ///< undefined resets it
  void zero_grad();            ///< forgets the gradient
  void retain_grad();          ///< keep the gradient of this non-leaf, too
  /// Adds d(this)/d(leaf) to the grad of every leaf. `gradient` (of this shape, dtype and device) may be
  /// left out for a tensor of one element. Error on a second run through a freed graph, or where a saved
  /// tensor was changed in place meanwhile.
  void backward(const Tensor& gradient = {}, BackwardOptions options = {}) const;
  /// Calls `hook` with the gradient of this tensor in backward; a defined result, of the same shape, dtype
  /// and device, replaces it. Gives a number for remove_hook.
  std::uint64_t register_hook(std::function<Tensor(const Tensor&)> hook);
  void remove_hook(std::uint64_t id);
  Tensor detach() const;  ///< the same storage without history
  /// From now on this leaf (and every handle to it) has the storage, shape, dtype and device of `source`,
  /// and no gradient: how Module::to moves parameters that optimizers already know.
  Tensor& set_data(const Tensor& source);

  // ---- copies
  Tensor clone() const;            ///< new storage, same history
  Tensor contiguous() const;       ///< itself where it already is
  Tensor to(Device device) const;  ///< moves; between host devices it copies nothing
  Tensor to(Dtype dtype) const;
  Tensor to(const char* device) const { return to(Device(device)); }

  // ---- operations of ops.def, and their in-place forms: exp() exp_() add(y) add_(y) isnan() lt(y) …
#define TORCHLIGHT_UNARY(name) \
  Tensor name() const;         \
  Tensor& name##_();
#define TORCHLIGHT_BINARY(name)           \
  Tensor name(const Tensor& other) const; \
  Tensor name(double other) const;        \
  Tensor& name##_(const Tensor& other);   \
  Tensor& name##_(double other);
#define TORCHLIGHT_PREDICATE1(name) Tensor name() const;
#define TORCHLIGHT_PREDICATE2(name) Tensor name(const Tensor& other) const;
#include <torchlight/uniform_ops.h>

  // ---- further operations, see ops.h
  Tensor clamp(std::optional<double> min, std::optional<double> max = {}) const;
  Tensor leaky_relu(double slope = 0.01) const;
  Tensor softplus(double beta = 1, double threshold = 20) const;
  Tensor sum(const Dims& dims = {}, bool keepdim = false) const;
  Tensor mean(const Dims& dims = {}, bool keepdim = false) const;
  Tensor var(const Dims& dims = {}, bool keepdim = false, double correction = 1) const;
  Tensor std(const Dims& dims = {}, bool keepdim = false, double correction = 1) const;
  Tensor prod(const Dims& dims = {}, bool keepdim = false) const;
  Tensor max(const Dims& dims = {}, bool keepdim = false) const;
  Tensor min(const Dims& dims = {}, bool keepdim = false) const;
  Tensor any(const Dims& dims = {}, bool keepdim = false) const;
  Tensor all(const Dims& dims = {}, bool keepdim = false) const;
  Tensor argmax(std::optional<std::int64_t> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<std::int64_t> dim = {}, bool keepdim = false) const;
  Tensor logsumexp(const Dims& dims = {}, bool keepdim = false) const;
  Tensor norm(double p = 2, const Dims& dims = {}, bool keepdim = false) const;
  Tensor cumsum(std::int64_t dim) const;
  Tensor softmax(std::int64_t dim) const;
  Tensor log_softmax(std::int64_t dim) const;
  Tensor matmul(const Tensor& other) const;

  // ---- layout: views of the same storage wherever possible
  Tensor view(const Shape& shape) const;     ///< Error where it would need a copy
  Tensor reshape(const Shape& shape) const;  ///< copies where a view can't do; one entry may be -1
  Tensor permute(const Dims& dims) const;
  Tensor transpose(std::int64_t dim0 = -2, std::int64_t dim1 = -1) const;
  Tensor t() const;  ///< transpose of a matrix
  Tensor flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
  Tensor squeeze(const Dims& dims = {}) const;
  Tensor unsqueeze(std::int64_t dim) const;
  Tensor expand(const Shape& shape) const;  ///< -1 keeps a dim
  Tensor slice(std::int64_t dim, std::optional<std::int64_t> start = {},
               std::optional<std::int64_t> end = {}, std::int64_t step = 1) const;
  Tensor select(std::int64_t dim, std::int64_t index) const;
  Tensor index(std::initializer_list<Index> indices) const;
  Tensor operator[](std::int64_t i) const { return select(0, i); }
  Tensor flip(const Dims& dims) const;
  Tensor unfold(std::int64_t dim, std::int64_t size, std::int64_t step) const;
  std::vector<Tensor> split(std::int64_t size, std::int64_t dim = 0) const;
  std::vector<Tensor> chunk(std::int64_t count, std::int64_t dim = 0) const;

  // ---- by index
  Tensor index_select(std::int64_t dim, const Tensor& index) const;
  Tensor gather(std::int64_t dim, const Tensor& index) const;
  /// The index may be smaller than this tensor (but for `dim`, where any size goes) and than the source: of both
  /// only what it covers takes part. Error where it is larger, or names an entry that isn't there.
  Tensor scatter_add(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor masked_fill(const Tensor& mask, double value) const;

  // ---- in place: written into this storage, also through views. Error for an expanded tensor, for a
  // leaf that requires grad (outside no_grad), and where this dtype or shape can't hold the result.
  Tensor& fill_(double value);
  Tensor& zero_() { return fill_(0); }
  Tensor& copy_(const Tensor& source);  ///< broadcasts, converts, and crosses devices
  Tensor& clamp_(std::optional<double> min, std::optional<double> max = {});
  Tensor& masked_fill_(const Tensor& mask, double value);
  Tensor& addcmul_(const Tensor& a, const Tensor& b, double value = 1);  ///< this + value * a * b
  Tensor& operator+=(const Tensor& other) { return add_(other); }
  Tensor& operator-=(const Tensor& other) { return sub_(other); }
  Tensor& operator*=(const Tensor& other) { return mul_(other); }
  Tensor& operator/=(const Tensor& other) { return div_(other); }
  Tensor& operator+=(double other) { return add_(other); }
  Tensor& operator-=(double other) { return sub_(other); }
  Tensor& operator*=(double other) { return mul_(other); }
  Tensor& operator/=(double other) { return div_(other); }

  /// The library's own side of the handle; undefined tensors raise Error.
  TensorImpl& impl() const;
  static Tensor adopt(TensorImpl* impl);  ///< takes over one reference

 private:
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}
  TensorImpl* impl_;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

extern template float Tensor::item<float>() const;
extern template double Tensor::item<double>() const;
extern template std::int64_t Tensor::item<std::int64_t>() const;
extern template int Tensor::item<int>() const;
extern template bool Tensor::item<bool>() const;

}  // namespace torchlight
#pragma GCC visibility pop
