#pragma once

#include <functional>
#include <string>
#include <vector>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight {

/// While one of these lives, operations of this thread record no history. A new thread starts with
/// recording on. Guards nest and restore what was before, also when an exception passes.
class no_grad {
 public:
  explicit no_grad(bool off = true);
  ~no_grad();
  no_grad(const no_grad&) = delete;
  no_grad& operator=(const no_grad&) = delete;

 private:
  bool before_;
};

bool is_grad_enabled();

/// Gradients of the sum of `outputs` (each weighted with its entry of `output_gradients`, which may be
/// left out for tensors of one element, and else has the output's shape, dtype and device) with respect to
/// `inputs`. Adds nothing to any grad field. An input without influence gives an undefined tensor.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& output_gradients = {},
                         BackwardOptions options = {});

/// What a custom function's forward leaves for its backward.
class FunctionContext {
 public:
  /// Keeps tensors for backward; a change in place meanwhile is an error then.
  void save(std::vector<Tensor> tensors);
  const std::vector<Tensor>& saved() const;

 private:
  std::vector<Tensor> saved_;
  std::vector<std::uint64_t> versions_;
};

/// An operation with a derivative of your own. `forward` runs without recording; `backward` gets the
/// gradient of the result and gives one gradient for each input, of its shape, dtype and device, undefined
/// where there is none.
Tensor custom_function(
    const std::string& name, const std::vector<Tensor>& inputs,
    const std::function<Tensor(FunctionContext&, const std::vector<Tensor>&)>& forward,
    const std::function<std::vector<Tensor>(FunctionContext&, const Tensor& gradient)>& backward);

struct GradcheckOptions {
  double eps = 1e-6;  ///< step of the central difference
  double rtol = 1e-3;
  double atol = 1e-5;
  bool second_order = false;  ///< check the gradient's own gradient, too
};

/// Compares the gradient of fn with finite differences, at these float64 inputs and a random direction.
/// True, or Error saying which element of which input differs and by how much.
bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
               const std::vector<Tensor>& inputs, GradcheckOptions options = {});

}  // namespace torchlight
#pragma GCC visibility pop
