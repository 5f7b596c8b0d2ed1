#pragma once

#include <concepts>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <torchlight/state_dict.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

class Module;
struct ModuleState;

struct NamedModule {
  std::string name;
  std::shared_ptr<Module> module;
};

struct LoadOptions {
  bool strict = true;  ///< missing and unexpected names are an Error; otherwise they are passed over
};

/// A part of a model: its parameters, buffers and further modules, by name. Derive from it for your own:
///
///   struct Net : nn::Module {
///     nn::Linear& hidden = register_module("hidden", nn::Linear(64, 32));
///     nn::Linear& output = register_module("output", nn::Linear(32, 10));
///     Tensor forward(const Tensor& x) override { return output(hidden(x).relu()); }
///   };
///
/// Like a Tensor it is a handle: a copy shares parameters, children and the training flag.
class Module {
 public:
  Module();
  Module(const Module&);
  Module& operator=(const Module&);
  virtual ~Module();

  /// What the module computes. Those of several inputs have a forward of their own instead of this one.
  virtual Tensor forward(const Tensor& x);
  Tensor operator()(const Tensor& x) { return forward(x); }

  // ---- what it consists of: this module's own come first, then its children's, in registration order.
  // A tensor or module that occurs twice is listed once.
  std::vector<Tensor> parameters() const;
  std::vector<NamedTensor> named_parameters() const;  ///< names as in "encoder.0.weight"
  std::vector<Tensor> buffers() const;
  std::vector<NamedTensor> named_buffers() const;
  const std::vector<NamedModule>& children() const;  ///< the direct ones
  /// Calls `fn` for every module below and then for this one, to initialise them, say.
  Module& apply(const std::function<void(Module&)>& fn);

  // ---- changes of the whole tree; each gives the module itself
  Module& train(bool on = true);
  Module& eval() { return train(false); }
  bool is_training() const;
  Module& requires_grad_(bool on = true);
  void zero_grad();
  /// Parameters and buffers get new storage; the tensors stay the same to optimizers and other holders, and
  /// their gradients are dropped.
  Module& to(Device device);
  Module& to(const char* device) { return to(Device(device)); }
  /// A floating one, float32 or float64 where something is trained; integer buffers stay as they are.
  Module& to(Dtype dtype);

  /// Parameters and buffers, sharing storage with the module.
  StateDict state_dict() const;
  /// Copies values in, converting dtype and device. Error naming everything that is missing, unexpected
  /// or of another shape; the module is unchanged then.
  void load_state_dict(const StateDict& dict, LoadOptions options = {});

  // ---- printing: the tree as PyTorch shows it
  std::string str() const;
  virtual std::string type_name() const;   ///< "Linear"
  virtual std::string extra_repr() const;  ///< "in_features=64, out_features=32, bias=True"

 protected:
  /// All three give what was registered. Error for a name that is taken, empty or contains a dot. An
  /// undefined tensor registers nothing, so that optional ones need no if.
  Tensor register_parameter(const std::string& name, Tensor value);  ///< will require grad
  Tensor register_buffer(const std::string& name, Tensor value);     ///< saved, but not trained
  template <std::derived_from<Module> M> M& register_module(const std::string& name, M module) {
    return register_module(name, std::make_shared<M>(std::move(module)));
  }
  template <std::derived_from<Module> M>
  M& register_module(const std::string& name, std::shared_ptr<M> module) {
    add_child(name, module);
    return *module;
  }

 private:
  friend ModuleState;
  void add_child(const std::string& name, std::shared_ptr<Module> module);
  static bool contains(const Module& module, const ModuleState* state);

  std::shared_ptr<ModuleState> state_;
};

std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace torchlight::nn
#pragma GCC visibility pop
