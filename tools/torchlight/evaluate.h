#pragma once

#include "digits.h"
#include "output.h"

namespace command {

/// Probabilities (n, 10) of the digits that `indices` names.
tl::Tensor answer(tl::nn::Module& model, const Digits& digits, const tl::Tensor& indices);

/// Prints the accuracy over the digits that `indices` names, and which were taken for which.
void report_accuracy(Output& out, tl::nn::Module& model, const Digits& digits,
                     const tl::Tensor& indices);

}  // namespace command
