#pragma once

#include <torchlight/ops.h>

#pragma GCC visibility push(default)
namespace torchlight::nn::functional {

using torchlight::gelu;
using torchlight::gelu_tanh;
using torchlight::leaky_relu;
using torchlight::log_softmax;
using torchlight::relu;
using torchlight::sigmoid;
using torchlight::silu;
using torchlight::softmax;
using torchlight::softplus;
using torchlight::tanh;

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
