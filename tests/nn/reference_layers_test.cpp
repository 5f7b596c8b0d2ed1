#include <doctest/doctest.h>

#include "reference.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
namespace F = torchlight::nn::functional;
using F::PadMode;
using tl::test::one, tl::test::ReferenceCase, tl::test::ReferenceRun;

namespace {

/// A module of one input.
template <class Make> ReferenceRun module(Make make) {
  return one([make](ReferenceCase& c) { return c.load(make())(c.in("input")); });
}

ReferenceRun function(tl::Tensor (*fn)(const tl::Tensor&)) {
  return one([fn](ReferenceCase& c) { return fn(c.in("x")); });
}

ReferenceRun pad(PadMode mode) {
  return one([mode](ReferenceCase& c) { return F::pad(c.in("x"), {1, 2, 0, 1}, mode); });
}

/// Two batches in training, then one in evaluation.
template <class Make> ReferenceRun two_steps(Make make) {
  return [make](ReferenceCase& c) {
    auto norm = make();
    c.load(norm);
    tl::StateDict out{{"y0", norm(c.in("x0"))}, {"y1", norm(c.in("x1"))}};
    for (const auto& [name, buffer] : norm.named_buffers())
      out.push_back({"after." + name, buffer.clone()});
    norm.eval();
    out.push_back({"y2", norm(c.in("x2"))});
    return out;
  };
}

}  // namespace

TEST_CASE("reference: layers and their gradients are PyTorch's") {
  const nn::Conv1dOptions all{.stride = 2, .padding = 3, .dilation = 2, .groups = 2, .bias = false};
  const nn::Conv2dOptions strided{.stride = {2, 1}, .padding = {0, 2}};
  const nn::Conv2dOptions grouped{.padding = 2, .dilation = 2, .groups = 4};
  tl::test::check_reference(
      "layers", {{"linear", module([] { return nn::Linear(3, 4); })},
                 {"embedding", module([] { return nn::Embedding(6, 3, {.padding_idx = 2}); })},
                 {"conv1d", module([] { return nn::Conv1d(2, 4, 3); })},
                 {"conv1d_all", module([all] { return nn::Conv1d(4, 6, 3, all); })},
                 {"conv2d", module([strided] {
                    return nn::Conv2d(2, 3, {2, 3}, strided);
                  })},
                 {"conv2d_groups", module([grouped] { return nn::Conv2d(4, 4, 3, grouped); })},
                 {"max_pool2d", module([] { return nn::MaxPool2d(3, {.stride = 2, .padding = 1}); })},
                 {"avg_pool2d", module([] { return nn::AvgPool2d(2); })},
                 {"avg_pool2d_pad", module([] {
                    return nn::AvgPool2d({3, 2}, {.stride = nn::Pair(2, 1), .padding = 1});
                  })},
                 {"avg_pool2d_exclude", module([] {
                    return nn::AvgPool2d(3, {.stride = 2, .padding = 1, .count_include_pad = false});
                  })},
                 {"avg_pool2d_divisor", module([] {
                    return nn::AvgPool2d(3, {.stride = 2, .padding = 1, .divisor_override = 5});
                  })},
                 {"layer_norm", module([] {
                    return nn::LayerNorm({2, 3});
                  })},
                 {"rms_norm", one([](ReferenceCase& c) {
                    return F::rms_norm(c.in("x"), {2, 3}, c.in("weight"), 1e-3);
                  })},
                 {"gelu", function(F::gelu)},
                 {"gelu_tanh", function(F::gelu_tanh)},
                 {"silu", function(F::silu)},
                 {"sigmoid", function(F::sigmoid)},
                 {"leaky_relu", function([](const tl::Tensor& x) { return F::leaky_relu(x); })},
                 {"softplus", function([](const tl::Tensor& x) { return F::softplus(x); })},
                 {"softmax", function([](const tl::Tensor& x) { return F::softmax(x, 1); })},
                 {"log_softmax", function([](const tl::Tensor& x) { return F::log_softmax(x, 0); })},
                 {"normalize", function([](const tl::Tensor& x) { return F::normalize(x); })},
                 {"normalize_1", function([](const tl::Tensor& x) { return F::normalize(x, 1, 0); })},
                 {"pad_constant", pad(PadMode::constant)},
                 {"pad_reflect", pad(PadMode::reflect)},
                 {"pad_replicate", pad(PadMode::replicate)},
                 {"pad_circular", pad(PadMode::circular)},
                 {"pad_cut", one([](ReferenceCase& c) {
                    return F::pad(c.in("x"), {-1, 2, 1, -2}, PadMode::constant, 0.5);
                  })}});
}

TEST_CASE("reference: batch norm in training and evaluation, with its statistics, is PyTorch's") {
  tl::test::check_reference(
      "batch_norm",
      {{"batch_norm1d", two_steps([] { return nn::BatchNorm1d(3); })},
       {"batch_norm1d_long",
        two_steps([] { return nn::BatchNorm1d(3, {.eps = 1e-3, .momentum = std::nullopt}); })},
       {"batch_norm2d", two_steps([] { return nn::BatchNorm2d(3, {.momentum = 0.3}); })},
       {"batch_norm2d_plain", two_steps([] { return nn::BatchNorm2d(3, {.affine = false}); })},
       {"batch_norm2d_no_stats",
        two_steps([] { return nn::BatchNorm2d(3, {.track_running_stats = false}); })}});
}
