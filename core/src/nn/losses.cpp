#include <torchlight/nn/functional.h>

#include "support/text.h"

namespace torchlight::nn::functional {
namespace {

Tensor reduced(const Tensor& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return losses.sum();
    case Reduction::mean: return losses.mean();
  }
  return losses;
}

Shape without_dim_1(const Tensor& input) {
  Shape shape = input.shape();
  shape.erase(1);
  return shape;
}

// Where in the target element i of its row-major order stands: "3", or "(1, 0, 2)".
std::string position(const Shape& shape, std::int64_t i) {
  Shape at = shape;
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    at[dim] = i % shape[dim];
    i /= shape[dim];
  }
  return at.rank() == 1 ? std::to_string(at[0]) : at.str();
}

void check_labels(const char* op, const Tensor& target, std::int64_t classes) {
  const std::vector<std::int64_t> labels = target.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || labels[i] >= classes)
      throw Error(text(op, ": label ", labels[i], " at position ",
                       position(target.shape(), static_cast<std::int64_t>(i)), " is not one of the ",
                       classes, " classes 0 … ", classes - 1));
}

void check_target(const char* op, const Tensor& input, const Tensor& target) {
  if (input.dim() < 2)
    throw Error(text(op, ": the input must be (N, C, …), not ", input.shape().str()));
  if (target.dtype() != int64)
    throw Error(text(op, ": the target must be int64 class numbers, not ", name_of(target.dtype()),
                     target.numel() > 0 ? " such as " + target.flatten()[0].str() : ""));
  if (target.shape() != without_dim_1(input))
    throw Error(text(op, ": the target is ", target.shape().str(), " and should be ",
                     without_dim_1(input).str(), ", the input ", input.shape().str(),
                     " without dim 1"));
  check_labels(op, target, input.size(1));
}

Tensor picked(const Tensor& log_probabilities, const Tensor& target, Reduction reduction) {
  const Tensor log_likelihood = log_probabilities.gather(1, target.unsqueeze(1)).squeeze(1);
  return reduced(-log_likelihood, reduction);
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target, LossOptions options) {
  check_target("cross_entropy", input, target);
  return picked(input.log_softmax(1), target, options.reduction);
}

Tensor nll_loss(const Tensor& input, const Tensor& target, LossOptions options) {
  check_target("nll_loss", input, target);
  return picked(input, target, options.reduction);
}

Tensor mse_loss(const Tensor& input, const Tensor& target, LossOptions options) {
  if (input.shape() != target.shape())
    throw Error(text("mse_loss: shapes differ: ", input.shape().str(), " and ", target.shape().str()));
  return reduced((input - target).square(), options.reduction);
}

}  // namespace torchlight::nn::functional
