#include <torchlight/ops.h>

#include "nn/labels.h"
#include "nn/losses.h"
#include "support/text.h"

/// Losses of one class among several.
namespace torchlight::nn::functional {
namespace {

Shape without_classes(const Tensor& input) {
  Shape shape = input.shape();
  shape.erase(input.dim() == 1 ? 0 : 1);
  return shape;
}

std::int64_t class_count(const char* op, const Tensor& input) {
  if (input.dim() == 0)
    throw Error(text(op, ": the input must be (N, C, …) or (C,), not ", input.shape().str()));
  return input.size(input.dim() == 1 ? 0 : 1);
}

void check_weight(const char* op, const Tensor& weight, std::int64_t classes) {
  if (weight.defined() && weight.shape() != Shape(classes))
    throw Error(text(op, ": the weight is ", weight.shape().str(), " and should be ",
                     Shape(classes).str(), ", one for each class"));
}

void check_labels(const char* op, const Tensor& input, const Tensor& target,
                  std::int64_t ignore_index) {
  require_int64(op, "class numbers as target", target);
  if (target.shape() != without_classes(input))
    throw Error(text(op, ": the target is ", target.shape().str(), " and should be ",
                     without_classes(input).str(), ", the input ", input.shape().str(),
                     " without its classes"));
  check_numbers(op, "label", "classes", target, class_count(op, input), ignore_index);
}

// A weight (C) against an input (N, C, …).
Tensor along_classes(const Tensor& weight, const Tensor& input) {
  Shape shape = Shape::filled(input.shape().rank(), 1);
  shape[1] = weight.size(0);
  return weight.reshape(shape);
}

/// Class numbers (N, …) for log-probabilities (N, C, …), and how much each counts.
struct Targets {
  Tensor numbers;  ///< ignored ones are 0
  Tensor counts;   ///< 1 or the class's weight, 0 where it is ignored
};

Targets prepared(const Tensor& log_p, const Tensor& target, const CrossEntropyOptions& options) {
  const Tensor counted = target != static_cast<double>(options.ignore_index);
  const Tensor numbers = where(counted, target, zeros_like(target));
  const Tensor as_number = counted.to(log_p.dtype());
  if (!options.weight.defined()) return {numbers, as_number};
  return {numbers,
          options.weight.index_select(0, numbers.flatten()).reshape(target.shape()) * as_number};
}

// The mean is over what counts, so that ignored targets and light classes don't pull it down.
Tensor averaged(const char* op, const Tensor& losses, const Tensor& counts, Reduction reduction) {
  return reduction == Reduction::mean ? losses.sum() / counts.sum() : reduced(op, losses, reduction);
}

// -Σ weight · log p over all classes, where the target isn't ignored.
Tensor spread(const Tensor& log_p, const Tensor& target, const CrossEntropyOptions& options) {
  const Tensor weighted =
      options.weight.defined() ? log_p * along_classes(options.weight, log_p) : log_p;
  return (-weighted.sum(1)).masked_fill(target == static_cast<double>(options.ignore_index), 0);
}

// log_p (N, C, …), target (N, …).
Tensor of_labels(const char* op, const Tensor& log_p, const Tensor& target,
                 const CrossEntropyOptions& options) {
  const Targets to = prepared(log_p, target, options);
  const Tensor chosen = log_p.gather(1, to.numbers.unsqueeze(1)).squeeze(1);
  // Selected, not multiplied: an infinite loss that is ignored would become NaN.
  const Tensor losses =
      where(target == static_cast<double>(options.ignore_index), 0, -chosen * to.counts);
  const double smoothing = options.label_smoothing;
  const Tensor loss = averaged(op, losses, to.counts, options.reduction);
  if (smoothing == 0) return loss;
  const Tensor even = averaged(op, spread(log_p, target, options), to.counts, options.reduction);
  return loss * (1 - smoothing) + even * (smoothing / static_cast<double>(log_p.size(1)));
}

// log_p and target (N, C, …).
Tensor of_probabilities(const char* op, const Tensor& log_p, const Tensor& target,
                        const CrossEntropyOptions& options) {
  const double smoothing = options.label_smoothing, classes = static_cast<double>(log_p.size(1));
  const Tensor smooth = smoothing == 0 ? target : target * (1 - smoothing) + smoothing / classes;
  Tensor products = smooth * log_p;
  if (options.weight.defined()) products = products * along_classes(options.weight, log_p);
  return reduced(op, -products.sum(1), options.reduction);
}

Tensor unbatched(const Tensor& loss, Reduction reduction) {
  return reduction == Reduction::none ? loss.squeeze(0) : loss;
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyOptions& options) {
  constexpr const char* op = "cross_entropy";
  const std::int64_t classes = class_count(op, input);
  check_weight(op, options.weight, classes);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    throw Error(text(op, ": label_smoothing is ", options.label_smoothing, ", not in 0 … 1"));
  const bool probabilities = is_floating(target.dtype()) && target.shape() == input.shape();
  if (!probabilities) check_labels(op, input, target, options.ignore_index);
  if (input.dim() == 1)
    return unbatched(cross_entropy(input.unsqueeze(0), target.unsqueeze(0), options),
                     options.reduction);
  const Tensor log_p = input.log_softmax(1);
  return probabilities ? of_probabilities(op, log_p, target, options)
                       : of_labels(op, log_p, target, options);
}

Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLOptions& options) {
  constexpr const char* op = "nll_loss";
  check_weight(op, options.weight, class_count(op, input));
  check_labels(op, input, target, options.ignore_index);
  if (input.dim() == 1)
    return unbatched(nll_loss(input.unsqueeze(0), target.unsqueeze(0), options), options.reduction);
  return of_labels(op, input, target, {options.weight, options.ignore_index, options.reduction, 0});
}

}  // namespace torchlight::nn::functional
