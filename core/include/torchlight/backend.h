#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight {

/// The primitives of one device by name, without history: for those who want to drive a plug-in as it is.
///
///   auto backend = get_backend("cpu");
///   auto sigmoid = backend.map("sigmoid");
///   Tensor y = sigmoid(x);
///
/// Names are those of ops.def; an unknown one is an Error that lists them. The functions do what the
/// tensor operations do, on this device alone: tensors of another device are an Error.
class Backend {
 public:
  explicit Backend(Device device) : device_(device) {}

  Device device() const { return device_; }
  using Map = std::function<Tensor(const Tensor&)>;
  using Zip = std::function<Tensor(const Tensor&, const Tensor&)>;
  using Reduce = std::function<Tensor(const Tensor&, const Dims&)>;

  Map map(std::string_view fn, const std::vector<double>& params = {}) const;
  Zip zip(std::string_view fn, const std::vector<double>& params = {}) const;
  Reduce reduce(std::string_view fn) const;  ///< keeps the reduced dims as 1
  Tensor matmul(const Tensor& a, const Tensor& b) const;
  Tensor attn_softmax_fw(const Tensor& x, const Tensor& mask = {}) const;
  Tensor attn_softmax_bw(const Tensor& grad, const Tensor& soft) const;
  Tensor layernorm_fw(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                      double eps = 1e-5) const;
  /// dinput, dgamma, dbeta
  std::vector<Tensor> layernorm_bw(const Tensor& grad, const Tensor& x, const Tensor& gamma,
                                   double eps = 1e-5) const;

 private:
  Device device_;
};

/// By name; by null or "" the default device, which TORCHLIGHT_DEVICE names.
Backend get_backend(const char* name = nullptr);

}  // namespace torchlight
#pragma GCC visibility pop
