#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <torchlight/torchlight.h>

/// Comparing with what PyTorch computed: tools/reference_cases wrote the files in tests/nn/reference.
namespace torchlight::test {

/// One case of a file, in one dtype.
class ReferenceCase {
 public:
  ReferenceCase(const StateDict& file, const std::string& name, Dtype dtype);

  /// An input. Floating ones are leaves in the case's dtype whose gradient is compared.
  Tensor in(const std::string& name);
  bool has(const std::string& name) const { return entries_.contains("in." + name); }
  /// The input, or undefined where the case has none of this name.
  Tensor maybe(const std::string& name) { return has(name) ? in(name) : Tensor(); }

  /// The same module in the case's dtype with the case's parameters, whose gradients are compared.
  template <class M> M& load(M&& module) {
    prepare(module);
    return module;
  }

  /// What differs from PyTorch's outputs and gradients; "" if nothing does. More than rel 1e-5 forward and
  /// 1e-4 backward is a difference: of each element in float64, of the largest in float32.
  std::string differences(const StateDict& outputs);

 private:
  void prepare(nn::Module& module);
  std::string difference(const std::string& entry, const Tensor& got, double rtol) const;

  std::map<std::string, Tensor> entries_;  ///< without the case's name in front
  std::map<std::string, Tensor> leaves_;
  Dtype dtype_;
};

using ReferenceRun = std::function<StateDict(ReferenceCase&)>;

StateDict reference_file(const std::string& family);

/// What differs in float64 or float32.
std::string reference_differences(const StateDict& file, const std::string& name,
                                  const ReferenceRun& run);

/// Compares every case of a file; each must have a run of its name, and the other way round.
void check_reference(const std::string& family, const std::map<std::string, ReferenceRun>& runs);

/// A run of one output, called y.
inline ReferenceRun one(std::function<Tensor(ReferenceCase&)> run) {
  return [run](ReferenceCase& c) { return StateDict{{"y", run(c)}}; };
}

}  // namespace torchlight::test
