#include <cmath>

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace init = torchlight::nn::init;
using tl::test::check_close, tl::test::error_of, tl::test::says;

namespace {

tl::Tensor weight() {
  return tl::empty({200, 100, 2, 2}, {.requires_grad = true});
}  // fan_in 400, fan_out 800

void check_spread(const tl::Tensor& tensor, double std, bool is_uniform) {
  CHECK(tensor.std().item<double>() == doctest::Approx(std).epsilon(0.02));
  CHECK(std::abs(tensor.mean().item<double>()) < 0.02 * std);
  CHECK((tensor.abs().max().item<double>() <= std * std::sqrt(3.0) * 1.0001) == is_uniform);
}

}  // namespace

TEST_CASE("init: fans are inputs and outputs times the kernel's area") {
  const init::Fans fans = init::calculate_fans(weight());
  CHECK(fans.in == 400);
  CHECK(fans.out == 800);
  CHECK(says(error_of([] { init::calculate_fans(tl::ones({3})); }), "init", "(3,)"));
}

TEST_CASE("init: kaiming keeps the variance by fan_in, or fan_out on request") {
  using init::FanMode, init::Nonlinearity;
  tl::Tensor w = weight();
  check_spread(init::kaiming_uniform_(w), std::sqrt(2.0 / 400), true);
  check_spread(init::kaiming_uniform_(w, std::sqrt(5.0)), std::sqrt(2.0 / 6 / 400), true);
  check_spread(init::kaiming_normal_(w, 0, FanMode::fan_out, Nonlinearity::relu), std::sqrt(2.0 / 800),
               false);
  check_spread(init::kaiming_normal_(w, 0, FanMode::fan_in, Nonlinearity::linear), std::sqrt(1.0 / 400),
               false);
}

TEST_CASE("init: xavier takes the mean of both fans") {
  tl::Tensor w = weight();
  check_spread(init::xavier_uniform_(w), std::sqrt(2.0 / 1200), true);
  check_spread(init::xavier_normal_(w, 2), 2 * std::sqrt(2.0 / 1200), false);
}

TEST_CASE("init: plain fills; the tensor stays a leaf that requires grad") {
  tl::Tensor w = weight();
  check_spread(init::uniform_(w, -1, 1), 1 / std::sqrt(3.0), true);
  check_spread(init::normal_(w, 0, 3), 3, false);
  CHECK(init::zeros_(w).abs().max().item<double>() == 0);
  CHECK(init::ones_(w).min().item<double>() == 1);
  CHECK(init::constant_(w, 4).max().item<double>() == 4);
  CHECK(w.is_leaf());
  CHECK(w.requires_grad());
}

TEST_CASE("init: gains of the nonlinearities") {
  using init::Nonlinearity;
  CHECK(init::calculate_gain(Nonlinearity::linear) == 1);
  CHECK(init::calculate_gain(Nonlinearity::sigmoid) == 1);
  CHECK(init::calculate_gain(Nonlinearity::tanh) == doctest::Approx(5.0 / 3));
  CHECK(init::calculate_gain(Nonlinearity::relu) == doctest::Approx(std::sqrt(2.0)));
  CHECK(init::calculate_gain(Nonlinearity::leaky_relu, 1) == doctest::Approx(1.0));
}

TEST_CASE(
    "init: trunc_normal_ stays within its bounds, has the deviation of what is left, by the seed") {
  tl::manual_seed(1);
  tl::Tensor w = weight();
  init::trunc_normal_(w, 0, 0.5, -1, 1);  // two deviations on each side
  CHECK(w.abs().max().item<double>() <= 1);
  CHECK(w.abs().max().item<double>() > 0.99);
  CHECK(w.std().item<double>() == doctest::Approx(0.5 * 0.8796).epsilon(0.01));
  CHECK(std::abs(w.mean().item<double>()) < 0.01);
  CHECK((w > 0.9).to(tl::float32).mean().item<double>() > 0.01);  // no heap at the bound itself
  CHECK((w == 1).to(tl::float32).mean().item<double>() < 1e-4);
  const auto first = w.to_vector<float>();
  tl::manual_seed(1);
  CHECK(init::trunc_normal_(w, 0, 0.5, -1, 1).to_vector<float>() == first);
  init::trunc_normal_(w, 5, 1, 0, 1);  // far in one tail
  CHECK(w.min().item<double>() >= 0);
  CHECK(w.max().item<double>() <= 1);
  CHECK(w.mean().item<double>() == doctest::Approx(0.783).epsilon(0.01));
  CHECK(w.is_leaf());
  CHECK(says(error_of([&] { init::trunc_normal_(w, 0, 0); }), "trunc_normal_", "std 0"));
  CHECK(says(error_of([&] { init::trunc_normal_(w, 0, 1, 2, 2); }), "a 2"));
}

TEST_CASE("trunc_normal_: far from the mean the numbers have the tail's shape") {
  tl::manual_seed(5);
  for (const auto& [a, b, mean] :
       {std::tuple{9.0, 10.0, 9.1093}, {-10.0, -9.0, -9.1093}, {50.0, 51.0, 50.01999}}) {
    tl::Tensor x = tl::empty({20000}, {.dtype = tl::float64});
    tl::nn::init::trunc_normal_(x, 0, 1, a, b);
    CHECK(x.min().item<double>() >= a);
    CHECK(x.max().item<double>() <= b);
    CHECK(std::abs(x.mean().item<double>() - mean) < 0.003);
  }
}
