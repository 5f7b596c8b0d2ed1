#pragma once

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
/// Losses: what they are of every element, and then none of it, its mean or its sum. Errors name the
/// shapes that don't fit.
namespace torchlight::nn::functional {

/// batchmean is the sum divided by the size of dim 0; only kl_div offers it.
enum class Reduction { none, mean, sum, batchmean };

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

// ---- of classes: scores or log-probabilities (N, C, …), or (C) for a single one

struct CrossEntropyOptions {
  Tensor weight = {};                ///< (C): how much each class counts
  std::int64_t ignore_index = -100;  ///< targets of this value count as nothing
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;  ///< this part of each target is spread evenly over all classes; 0 … 1
};

/// -log of the softmax over the classes at the target, in the stable form. The target is int64 (N, …) in
/// [0, C), or probabilities of the input's shape, for which the loss is -Σ target * log softmax. The mean
/// is over what isn't ignored, weighted as the classes are; for probabilities over N · …. NaN where all is
/// ignored. Error naming the label, its position and C where one is outside.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options = {});

struct NLLOptions {
  Tensor weight = {};
  std::int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
};

/// The same for an input of log-probabilities and a target of class numbers.
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLOptions& options = {});

// ---- of numbers: input and target of equal shapes

/// (input - target)²
Tensor mse_loss(const Tensor& input, const Tensor& target, LossOptions options = {});
/// |input - target|
Tensor l1_loss(const Tensor& input, const Tensor& target, LossOptions options = {});

struct SmoothL1Options {
  Reduction reduction = Reduction::mean;
  double beta = 1;  ///< not negative; 0 is l1_loss
};

/// d² / (2 beta) for d = |input - target| < beta, else d - beta / 2.
/// Source: Girshick, Fast R-CNN (2015), (3).
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, SmoothL1Options options = {});

// ---- of probabilities: input and target of equal shapes

struct BCEOptions {
  Tensor weight = {};  ///< broadcasts to the input
  Reduction reduction = Reduction::mean;
};

/// -(target log(input) + (1 - target) log(1 - input)), logarithms cut off at -100. Error naming an input
/// outside 0 … 1.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const BCEOptions& options = {});

struct BCEWithLogitsOptions {
  Tensor weight = {};  ///< broadcasts to the input
  Reduction reduction = Reduction::mean;
  Tensor pos_weight = {};  ///< of the part with target; broadcasts to the input
};

/// The same of sigmoid(input), in the stable form.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BCEWithLogitsOptions& options = {});

struct KLDivOptions {
  Reduction reduction = Reduction::mean;
  bool log_target = false;  ///< the target holds logarithms
};

/// target (log(target) - input), 0 where the target is 0; the input holds logarithms of probabilities.
Tensor kl_div(const Tensor& input, const Tensor& target, KLDivOptions options = {});

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
