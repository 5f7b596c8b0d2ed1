#pragma once

#include <string>
#include <vector>

#include <torchlight/nn/module.h>

namespace torchlight::nn {

/// What all copies of a module share.
struct ModuleState {
  std::vector<NamedTensor> parameters;
  std::vector<NamedTensor> buffers;
  std::vector<NamedModule> children;
  bool training = true;

  static ModuleState& of(const Module& module) { return *module.state_; }
};

/// Everything listed in `member` in the tree, under its full name. `once`: what occurs twice is listed
/// where it is met first.
std::vector<NamedTensor> collect(const Module& root, std::vector<NamedTensor> ModuleState::*member,
                                 bool once);

}  // namespace torchlight::nn
