#include <torchlight/nn/batch_norm.h>

#include <torchlight/autograd.h>
#include <torchlight/nn/functional/normalization.h>
#include <torchlight/nn/init.h>

#include "nn/affine.h"
#include "support/text.h"

namespace torchlight::nn {

BatchNorm::BatchNorm(std::int64_t num_features, const BatchNormModuleOptions& o)
    : weight(register_parameter("weight", make_parameter(o.affine, num_features, o.device, o.dtype))),
      bias(register_parameter("bias", make_parameter(o.affine, num_features, o.device, o.dtype))),
      running_mean(register_buffer(
          "running_mean", make_parameter(o.track_running_stats, num_features, o.device, o.dtype))),
      running_var(register_buffer(
          "running_var", make_parameter(o.track_running_stats, num_features, o.device, o.dtype))),
      num_batches_tracked(register_buffer("num_batches_tracked",
                                          make_parameter(o.track_running_stats, {}, o.device, int64))),
      num_features_(num_features),
      options_(o) {
  for (Tensor* zero : {&bias, &running_mean, &num_batches_tracked})
    if (zero->defined()) init::zeros_(*zero);
  for (Tensor* one : {&weight, &running_var})
    if (one->defined()) init::ones_(*one);
}

// Without a momentum the n-th batch moves the statistics by 1/n.
double BatchNorm::next_momentum() const {
  return options_.momentum ? *options_.momentum : 1 / (num_batches_tracked.item<double>() + 1);
}

Tensor BatchNorm::forward(const Tensor& x) {
  check_input(x);
  const bool tracks = running_mean.defined(), learns = is_training() && tracks;
  const Tensor result = functional::batch_norm(x, running_mean, running_var,
                                               {.weight = weight,
                                                .bias = bias,
                                                .training = is_training() || !tracks,
                                                .momentum = learns ? next_momentum() : 0,
                                                .eps = options_.eps});
  if (learns) num_batches_tracked.add_(1);  // now that nothing of this batch was refused
  return result;
}

std::string BatchNorm::extra_repr() const {
  return text(num_features_, ", eps=", options_.eps,
              ", momentum=", options_.momentum ? text(*options_.momentum) : "None",
              ", affine=", options_.affine ? "True" : "False",
              ", track_running_stats=", options_.track_running_stats ? "True" : "False");
}

void BatchNorm1d::check_input(const Tensor& x) const {
  if (x.dim() != 2 && x.dim() != 3)
    throw Error(text("BatchNorm1d: the input must be (N, C) or (N, C, L), not ", x.shape().str()));
}

void BatchNorm2d::check_input(const Tensor& x) const {
  if (x.dim() != 4)
    throw Error(text("BatchNorm2d: the input must be (N, C, H, W), not ", x.shape().str()));
}

namespace functional {
namespace {

void check_channels(const char* what, const Tensor& x, const Tensor& values) {
  if (values.defined() && values.shape() != Shape(x.size(1)))
    throw Error(text("batch_norm: ", what, " is ", values.shape().str(), " and should be ",
                     Shape(x.size(1)).str(), ", one for each channel of ", x.shape().str()));
}

void check_shapes(const Tensor& x, const Tensor& mean, const Tensor& var,
                  const BatchNormOptions& options) {
  if (x.dim() < 2) throw Error(text("batch_norm: the input must be (N, C, …), not ", x.shape().str()));
  check_channels("running_mean", x, mean);
  check_channels("running_var", x, var);
  check_channels("weight", x, options.weight);
  check_channels("bias", x, options.bias);
  if (!options.training && !(mean.defined() && var.defined()))
    throw Error("batch_norm: evaluation needs running_mean and running_var");
}

/// Values of each channel, (C), laid out against x (N, C, …).
Tensor per_channel(const Tensor& values, const Tensor& x) {
  Shape shape = Shape::filled(x.shape().rank(), 1);
  shape[1] = values.numel();
  return values.reshape(shape);
}

Dims all_but_channels(const Tensor& x) {
  Dims dims;
  for (int d = 0; d < x.shape().rank(); ++d)
    if (d != 1) dims.push_back(d);
  return dims;
}

// running = (1 - momentum) running + momentum * new
void move_towards(const Tensor& running, const Tensor& value, double momentum) {
  if (!running.defined()) return;
  Tensor target = running;
  target.copy_(running * (1 - momentum) + value.reshape(running.shape()) * momentum);
}

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormOptions& options) {
  check_shapes(x, running_mean, running_var, options);
  const auto affine = [&](Tensor y, const Tensor& scale) {
    y = y * (options.weight.defined() ? scale * per_channel(options.weight, x) : scale);
    return options.bias.defined() ? y + per_channel(options.bias, x) : y;
  };
  if (!options.training)
    return affine(x - per_channel(running_mean, x),
                  (per_channel(running_var, x) + options.eps).rsqrt());

  const double count = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
  if (x.numel() == 0)  // there is nothing to learn from
    return affine(x, ones({}, {.dtype = x.dtype(), .device = x.device()}));
  if (!(count > 1))
    throw Error(text("batch_norm: training needs more than one value for each channel; the input is ",
                     x.shape().str()));
  const Dims dims = all_but_channels(x);
  const Tensor mean = x.mean(dims, true), centered = x - mean;
  const Tensor var = centered.square().mean(dims, true);
  {
    const no_grad guard;
    move_towards(running_mean, mean, options.momentum);
    move_towards(running_var, var * (count / (count - 1)), options.momentum);
  }
  return affine(centered, (var + options.eps).rsqrt());
}

}  // namespace functional
}  // namespace torchlight::nn
