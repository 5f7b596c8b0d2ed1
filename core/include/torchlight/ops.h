#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
/// Functions on tensors. All broadcast as NumPy does, raise Error on bad shapes, dtypes or mixed devices,
/// and record history where an input requires grad. Semantics of each: docs/numerics.md.
namespace torchlight {

// ---- creation -----------------------------------------------------------------------------------

/// Values in braces, nested to any depth: {{1, 2}, {3, 4}}. Error where rows differ in length.
/// Integers give int64, floating-point numbers float32, bools bool. Error where an integer dtype can't hold a
/// number; fractions are cut off.
class NestedList {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  NestedList(T value)
      : value_(static_cast<double>(value)),
        integer_(whole(value)),
        kind_(std::is_same_v<T, bool> ? boolean
              : std::is_integral_v<T> ? torchlight::int64
                                      : float32) {}
  NestedList(std::initializer_list<NestedList> items) : items_(items), is_list_(true) {}

  bool is_list() const { return is_list_; }
  const std::vector<NestedList>& items() const { return items_; }
  double value() const { return value_; }
  std::int64_t integer() const { return integer_; }
  Dtype kind() const { return kind_; }

 private:
  template <class T> static std::int64_t whole(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return 0;  // the list is then one of doubles
    } else {
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t))
        if (value > static_cast<T>(INT64_MAX))
          throw Error("tensor: int64 can't hold " + std::to_string(value));
      return static_cast<std::int64_t>(value);
    }
  }

  std::vector<NestedList> items_;
  double value_ = 0;
  std::int64_t integer_ = 0;
  Dtype kind_ = float32;
  bool is_list_ = false;
};

Tensor tensor(const NestedList& values, const Options& options = {});
Tensor tensor(std::initializer_list<NestedList> values, const Options& options = {});
template <class T> Tensor tensor(std::span<const T> values, const Options& options = {});
template <class T> Tensor tensor(const std::vector<T>& values, const Options& options = {});
Tensor tensor(const std::vector<bool>& values, const Options& options = {});

Tensor zeros(const Shape& shape, const Options& options = {});
Tensor ones(const Shape& shape, const Options& options = {});
Tensor empty(const Shape& shape, const Options& options = {});  ///< values are unspecified
Tensor full(const Shape& shape, double value,
            const Options& options = {});  ///< Error where it doesn't fit
Tensor zeros_like(const Tensor& like, const Options& options = {});
Tensor ones_like(const Tensor& like, const Options& options = {});
Tensor empty_like(const Tensor& like, const Options& options = {});
Tensor full_like(const Tensor& like, double value, const Options& options = {});
Tensor rand_like(const Tensor& like, const Options& options = {});
Tensor randn_like(const Tensor& like, const Options& options = {});
/// start, start + step, … up to but without end. int64 unless options say otherwise or a value isn't whole;
/// Error where the dtype can't hold them.
Tensor arange(double end, const Options& options = {});
Tensor arange(double start, double end, double step = 1, const Options& options = {});
/// `steps` values from start to end, both finite and both among them.
Tensor linspace(double start, double end, std::int64_t steps, const Options& options = {});
Tensor eye(std::int64_t n, std::optional<std::int64_t> m = {}, const Options& options = {});
/// A tensor over memory of yours, which `release` is called for when nothing uses it any more. Host
/// devices only; strides in elements, contiguous where empty.
Tensor from_blob(void* data, const Shape& shape, Dtype dtype, const Strides& strides = {},
                 std::function<void()> release = {}, const Options& options = {});

// ---- elementwise --------------------------------------------------------------------------------

#define TORCHLIGHT_UNARY(name) Tensor name(const Tensor& x);
#define TORCHLIGHT_BINARY(name)                  \
  Tensor name(const Tensor& x, const Tensor& y); \
  Tensor name(const Tensor& x, double y);        \
  Tensor name(double x, const Tensor& y);
#define TORCHLIGHT_PREDICATE1(name) Tensor name(const Tensor& x);
#define TORCHLIGHT_PREDICATE2(name) Tensor name(const Tensor& x, const Tensor& y);
#include <torchlight/uniform_ops.h>

Tensor leaky_relu(const Tensor& x, double slope = 0.01);
Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20);
Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max = {});
Tensor clamp(const Tensor& x, const Tensor& min, const Tensor& max);
/// condition ? x : y, element by element; the condition is bool. Selects, so that what isn't selected
/// has no influence, on the gradient either.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
Tensor where(const Tensor& condition, const Tensor& x, double y);
Tensor where(const Tensor& condition, double x, const Tensor& y);
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, double value = 1);  ///< x + value a b

inline Tensor operator-(const Tensor& x) { return neg(x); }
#define TORCHLIGHT_OPERATOR(op, name)                                                \
  inline Tensor operator op(const Tensor& x, const Tensor& y) { return name(x, y); } \
  inline Tensor operator op(const Tensor& x, double y) { return name(x, y); }        \
  inline Tensor operator op(double x, const Tensor& y) { return name(x, y); }
TORCHLIGHT_OPERATOR(+, add)
TORCHLIGHT_OPERATOR(-, sub)
TORCHLIGHT_OPERATOR(*, mul)
TORCHLIGHT_OPERATOR(/, div)
#undef TORCHLIGHT_OPERATOR

/// Comparisons give bool tensors.
Tensor eq(const Tensor& x, double y);
Tensor ne(const Tensor& x, double y);
Tensor lt(const Tensor& x, double y);
Tensor le(const Tensor& x, double y);
Tensor gt(const Tensor& x, double y);
Tensor ge(const Tensor& x, double y);
#define TORCHLIGHT_COMPARISON(op, name, mirrored)                                    \
  inline Tensor operator op(const Tensor& x, const Tensor& y) { return name(x, y); } \
  inline Tensor operator op(const Tensor& x, double y) { return name(x, y); }        \
  inline Tensor operator op(double x, const Tensor& y) { return mirrored(y, x); }
TORCHLIGHT_COMPARISON(==, eq, eq)
TORCHLIGHT_COMPARISON(!=, ne, ne)
TORCHLIGHT_COMPARISON(<, lt, gt)
TORCHLIGHT_COMPARISON(<=, le, ge)
TORCHLIGHT_COMPARISON(>, gt, lt)
TORCHLIGHT_COMPARISON(>=, ge, le)
#undef TORCHLIGHT_COMPARISON
inline Tensor operator!(const Tensor& x) { return logical_not(x); }
inline Tensor operator&&(const Tensor& x, const Tensor& y) { return logical_and(x, y); }
inline Tensor operator||(const Tensor& x, const Tensor& y) { return logical_or(x, y); }

/// Whether |x - y| <= atol + rtol |y| everywhere. Shapes must be equal.
bool allclose(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);

// ---- reductions: over `dims` (negative ones count from the end; none means all) ----------------------

Tensor sum(const Tensor& x, const Dims& dims = {}, bool keepdim = false);  ///< bool and ints give int64
Tensor mean(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor var(const Tensor& x, const Dims& dims = {}, bool keepdim = false, double correction = 1);
Tensor std(const Tensor& x, const Dims& dims = {}, bool keepdim = false, double correction = 1);
Tensor prod(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
/// Error over an empty dim. Like every sum, the maximum of bools is an int64; any and all stay bool.
Tensor max(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor min(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor any(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
/// int64 position of the first maximum along `dim`, or in the flattened tensor.
Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim = {}, bool keepdim = false);
Tensor logsumexp(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor norm(const Tensor& x, double p = 2, const Dims& dims = {}, bool keepdim = false);
Tensor cumsum(const Tensor& x, std::int64_t dim);

// ---- products and fused ---------------------------------------------------------------------------

/// (…, m, k) @ (…, k, n) → (…, m, n). 1-D operands are promoted as NumPy does; batch dims broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);
Tensor softmax(const Tensor& x, std::int64_t dim);
Tensor log_softmax(const Tensor& x, std::int64_t dim);
/// softmax over the last dim of scale * x + mask, fused. The mask broadcasts to x: (S), (T, S),
/// (B, 1, 1, S) …; causal hides column j of row i where j > i + causal_offset. A row with nothing left
/// gives 0, and its gradient is 0.
struct AttnSoftmaxOptions {
  double scale = 1;
  bool causal = false;
  std::int64_t causal_offset = 0;
};
Tensor attn_softmax(const Tensor& x, const Tensor& mask = {}, AttnSoftmaxOptions options = {});
/// (x - mean) / sqrt(var + eps) * gamma + beta over the last dims, those of normalized_shape. gamma and
/// beta have that shape or are undefined.
Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& gamma = {},
                  const Tensor& beta = {}, double eps = 1e-5);

// ---- layout ---------------------------------------------------------------------------------------

Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim = 0);
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim = 0);

}  // namespace torchlight
#pragma GCC visibility pop
