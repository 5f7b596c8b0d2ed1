#pragma once

#include <string>
#include <vector>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight {

/// A tensor and what it is called: "0.weight".
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// What modules, optimizers and schedulers save and load; names are unique, the order is kept. Numbers
/// stand in it as tensors of shape ().
using StateDict = std::vector<NamedTensor>;

}  // namespace torchlight
#pragma GCC visibility pop
