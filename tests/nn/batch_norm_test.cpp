#include "common.h"

TEST_CASE("batch norm: gradients agree with finite differences, in training and evaluation") {
  for (const bool training : {true, false})
    CHECK(tl::gradcheck(
        [=](const auto& in) {
          return F::batch_norm(in[0], tl::zeros({3}, f64), tl::ones({3}, f64),
                               {.weight = in[1], .bias = in[2], .training = training});
        },
        {input({2, 3, 4}), input({3}), input({3})}, {.second_order = true}));
}

TEST_CASE("batch norm: running variance is unbiased, and its buffers are part of the state") {
  nn::BatchNorm1d norm(1);
  norm(tl::tensor({{1.}, {3.}}));
  check_close(norm.running_mean, 1, {0.2});
  check_close(norm.running_var, 1, {0.9 + 0.1 * 2});
  CHECK(norm.num_batches_tracked.item<std::int64_t>() == 1);
  CHECK(norm.state_dict().size() == 5);

  nn::BatchNorm1d other(1);
  other.load_state_dict(norm.state_dict());
  check_close(other.running_var, 1, {1.1});
  other.eval();
  check_close(other(tl::tensor({{0.2}})), {1, 1}, {0});
  check_close(norm.eval()(tl::tensor({{0.2}})), {1, 1}, {0});
  CHECK(norm.num_batches_tracked.item<std::int64_t>() == 1);
}

TEST_CASE("batch norm: values far from 0 keep their digits") {
  nn::BatchNorm1d norm(1);
  const tl::Tensor y = norm(tl::tensor({{1234.}, {1235.}, {1236.}}));
  check_close(y, {3, 1}, {-1.2247356859, 0, 1.2247356859}, 1e-4);
  CHECK(norm(tl::full({3, 1}, 1234)).abs().max().item<double>() == 0);
}

TEST_CASE("batch norm: moves with the module, and prints as PyTorch's") {
  nn::BatchNorm2d norm(3, {.momentum = std::nullopt, .affine = false});
  norm.to(tl::float64);
  CHECK(norm.running_mean.dtype() == tl::float64);
  CHECK(norm.num_batches_tracked.dtype() == tl::int64);
  CHECK(norm(tl::randn({2, 3, 2, 2}, f64)).dtype() == tl::float64);
  CHECK(norm.parameters().empty());
  CHECK(norm.str() ==
        "BatchNorm2d(3, eps=1e-05, momentum=None, affine=False, track_running_stats=True)");
}

TEST_CASE("batch norm: what doesn't fit is named") {
  CHECK(says(error_of([] { nn::BatchNorm2d(3)(tl::ones({2, 3, 4})); }), "BatchNorm2d", "(2, 3, 4)"));
  CHECK(says(error_of([] { nn::BatchNorm1d(3)(tl::ones({2, 4})); }), "batch_norm", "(3,)", "(4,)"));
  CHECK(says(error_of([] { nn::BatchNorm1d(3)(tl::ones({1, 3})); }), "more than one value", "(1, 3)"));
  CHECK(says(error_of([] { F::batch_norm(tl::ones({2, 3}), {}, {}); }), "running_mean"));
  CHECK(nn::BatchNorm1d(3).eval().forward(tl::ones({1, 3})).shape() == tl::Shape{1, 3});
}

TEST_CASE("batch_norm: a refused batch leaves the statistics and their count; float64 is converted") {
  nn::BatchNorm1d norm(3);
  CHECK_THROWS_AS(norm(tl::ones({2, 4})), tl::Error);
  CHECK_THROWS_AS(norm(tl::ones({1, 3})), tl::Error);
  CHECK(norm.num_batches_tracked.item<int>() == 0);
  check_close(norm.running_mean, 3, {0, 0, 0});
  check_close(norm.running_var, 3, {1, 1, 1});
  CHECK(norm(tl::full({4, 3}, 2, {.dtype = tl::float64})).dtype() == tl::float64);
  CHECK(norm.num_batches_tracked.item<int>() == 1);
  CHECK(norm.running_mean.dtype() == tl::float32);
  check_close(norm.running_mean, 3, {0.2, 0.2, 0.2});
}

TEST_CASE("rms norm: gradients, its default eps, and what doesn't fit") {
  CHECK(tl::gradcheck(
      [](const auto& in) {
        return F::rms_norm(in[0], {2, 3}, in[1]);
      },
      {input({4, 2, 3}), input({2, 3})}, {.second_order = true}));
  check_close(nn::RMSNorm(2)(tl::tensor({3., 4.})), 2, {3 / std::sqrt(12.5), 4 / std::sqrt(12.5)});
  check_close(nn::RMSNorm(2)(tl::zeros({2})), 2, {0, 0});
  CHECK(nn::RMSNorm({2, 3}).str() == "RMSNorm((2, 3), eps=None, elementwise_affine=True)");
  CHECK(nn::RMSNorm(2, {.elementwise_affine = false}).parameters().empty());
  CHECK(says(error_of([] { nn::RMSNorm(2)(tl::ones({3})); }), "rms_norm", "(2,)", "(3,)"));
}

TEST_CASE("batch_norm: an empty batch gives an empty one, and changes no statistics") {
  nn::BatchNorm2d norm(2);
  CHECK(norm(tl::ones({0, 2, 3, 3})).shape() == tl::Shape{0, 2, 3, 3});
  CHECK(norm.running_mean.sum().item<float>() == 0);
  CHECK(norm.running_var.sum().item<float>() == 2);
}

TEST_CASE("LayerNorm, RMSNorm: made from a list of one, as PyTorch's are") {
  CHECK(nn::LayerNorm({8})(tl::ones({3, 8})).shape() == tl::Shape{3, 8});
  CHECK(nn::RMSNorm({8}, {.eps = 1e-3})(tl::ones({3, 8})).shape() == tl::Shape{3, 8});
}
