#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

/// A plain function as a module.
class Function : public Module {
 public:
  explicit Function(std::function<Tensor(const Tensor&)> fn) : fn_(std::move(fn)) {}
  Tensor forward(const Tensor& x) override { return fn_(x); }

 private:
  std::function<Tensor(const Tensor&)> fn_;
};

/// Modules, and functions of one tensor, one after the other. They are called "0", "1", …
///
///   nn::Sequential model(nn::Linear(64, 32), nn::ReLU(), nn::Linear(32, 10),
///                        [](const Tensor& x) { return x / 2; });
class Sequential : public Module {
 public:
  Sequential() = default;
  template <class... Layers>
  requires(!(std::same_as<std::remove_cvref_t<Layers>, Sequential> &&
             ...)) explicit Sequential(Layers&&... layers) {
    (push_back(std::forward<Layers>(layers)), ...);
  }

  template <class Layer> Sequential& push_back(Layer&& layer) {
    return push_back(std::to_string(size()), std::forward<Layer>(layer));
  }
  template <class Layer> Sequential& push_back(const std::string& name, Layer&& layer) {
    if constexpr (std::invocable<Layer&, const Tensor&> &&
                  !std::derived_from<std::remove_cvref_t<Layer>, Module>)
      register_module(name, Function(std::forward<Layer>(layer)));
    else
      register_module(name, std::forward<Layer>(layer));
    return *this;
  }

  Tensor forward(const Tensor& x) override;
  std::size_t size() const { return children().size(); }
  Module& operator[](std::size_t i) const;  ///< Error where there is none
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
