#include <torchlight/nn/clip_grad.h>

#include <torchlight/autograd.h>
#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::nn::utils {
namespace {

std::vector<Tensor> gradients(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> result;
  for (const Tensor& parameter : parameters)
    if (Tensor gradient = parameter.grad(); gradient.defined()) result.push_back(gradient);
  return result;
}

}  // namespace

Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                       ClipGradOptions options) {
  if (!(max_norm >= 0))
    throw Error(text("clip_grad_norm_: max_norm is ", max_norm, "; it can't be negative"));
  const no_grad guard;
  std::vector<Tensor> grads = gradients(parameters), norms;
  if (grads.empty()) return zeros({});
  for (const Tensor& gradient : grads)
    norms.push_back(gradient.norm(options.norm_type).to(grads[0].device()));
  const Tensor total = stack(norms).norm(options.norm_type);
  if (options.error_if_nonfinite && !total.isfinite().item<bool>())
    throw Error(text("clip_grad_norm_: the gradients' norm is ", total.item<double>(),
                     "; they are left as they are"));
  // No look at the value: that would make a device wait.
  const Tensor factor = (max_norm / (total + 1e-6)).clamp({}, 1);
  for (Tensor& gradient : grads) gradient.mul_(factor.to(gradient.device()).to(gradient.dtype()));
  return total;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  if (!(clip_value >= 0))
    throw Error(text("clip_grad_value_: clip_value is ", clip_value, "; it can't be negative"));
  const no_grad guard;
  for (Tensor& gradient : gradients(parameters)) gradient.clamp_(-clip_value, clip_value);
}

}  // namespace torchlight::nn::utils
