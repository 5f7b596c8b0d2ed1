#pragma once

#include <vector>

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace torchlight::test {

/// A parameter of one element, float64 so that formulas can be compared closely.
inline Tensor scalar_parameter(double value) {
  return full({1}, value, {.dtype = float64, .requires_grad = true});
}

/// One step with these gradients; an undefined one stands for no gradient.
inline void step_with(optim::Optimizer& optimizer, std::vector<Tensor> params,
                      std::vector<Tensor> gradients) {
  for (std::size_t i = 0; i < params.size(); ++i) params[i].set_grad(gradients[i]);
  optimizer.step();
}

inline Tensor gradient(double value) { return full({1}, value, {.dtype = float64}); }

/// The values of a parameter that starts at 1 after each of the steps with these gradients.
inline std::vector<double> path(optim::Optimizer& optimizer, Tensor param,
                                const std::vector<double>& gradients) {
  std::vector<double> values;
  for (const double g : gradients) {
    step_with(optimizer, {param}, {gradient(g)});
    values.push_back(param.item<double>());
  }
  return values;
}

inline void check_path(const std::vector<double>& got, const std::vector<double>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
}

}  // namespace torchlight::test
