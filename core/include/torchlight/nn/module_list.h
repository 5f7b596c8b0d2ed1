#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

/// Modules in a list, called "0", "1", … It computes nothing itself:
///
///   struct Net : nn::Module {
///     nn::ModuleList& blocks = register_module("blocks", nn::ModuleList());
///     Net() { for (int i = 0; i < 3; ++i) blocks.append(nn::Linear(4, 4)); }
///     Tensor forward(const Tensor& x) override {
///       Tensor y = x;
///       for (std::size_t i = 0; i < blocks.size(); ++i) y = blocks[i](y).relu();
///       return y;
///     }
///   };
class ModuleList : public Module {
 public:
  ModuleList() = default;
  template <class... Modules>
  requires(!(std::same_as<std::remove_cvref_t<Modules>, ModuleList> &&
             ...)) explicit ModuleList(Modules&&... modules) {
    (append(std::forward<Modules>(modules)), ...);
  }

  /// A module, or a shared_ptr of one.
  template <class M> ModuleList& append(M&& module) {
    register_module(std::to_string(size()), std::forward<M>(module));
    return *this;
  }

  std::size_t size() const { return children().size(); }
  Module& operator[](std::size_t i) const;  ///< Error where there is none
  /// The same as what it is, for those with a forward of their own: list.at<nn::GRU>(0). Error where it is
  /// of another type.
  template <std::derived_from<Module> M> M& at(std::size_t i) const {
    if (M* module = dynamic_cast<M*>(&(*this)[i])) return *module;
    throw Error("ModuleList: module " + std::to_string(i) + " is a " + (*this)[i].type_name() +
                ", not of the type asked for");
  }
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
