#pragma once

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

// What all tests of layers have: short names, and float64, in which finite differences tell something.
namespace tl = torchlight;
namespace nn = torchlight::nn;
namespace F = torchlight::nn::functional;
using tl::test::check_close, tl::test::error_of, tl::test::says;

inline const tl::Options f64{.dtype = tl::float64};

/// Normal numbers whose gradient is wanted.
inline tl::Tensor input(const tl::Shape& shape) { return tl::randn(shape, f64).requires_grad_(); }
