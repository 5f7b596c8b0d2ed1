// The primitives that combine elements: along the last dim where nothing else is said.
#pragma once

#include "reference.h"

namespace twin_command {

enum class Reduction : std::uint8_t { sum, mean, variance, max, min };

/// Over one dim, or over all where `dim` is -100.
Values reduced(const Values& x, double dim, Reduction how);
Values running_sum(const Values& x);
Values softmax(const Values& x);
Values softmax_backward(const Values& grad, const Values& softmax);
/// Of rms alone where it isn't `centred`.
Values layernorm(const Values& x, const Values* gamma, const Values* beta, double eps, bool centred);
Values layernorm_backward(const Values& grad, const Values& x, const Values& gamma, double eps);
Values layernorm_gamma(const Values& grad, const Values& x, double eps);
/// [m, n] by [n, k]; with one more dim in front, by batches.
Values matmul(const Values& a, const Values& b);
Values transpose(const Values& x);
/// As networks have it: nothing is turned round, and only where the kernel lies inside.
Values convolution(const Values& x, const Values& kernel);

}  // namespace twin_command
