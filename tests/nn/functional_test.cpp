#include <cmath>

#include "common.h"

namespace {

const double nan_value = std::nan("");

tl::Tensor ints(const std::vector<std::int64_t>& values) { return tl::tensor(values); }

}  // namespace

TEST_CASE("masked reductions: what is masked has no influence, not even NaN") {
  const tl::Tensor x = tl::tensor({{1., nan_value, 3.}, {4., 5., nan_value}}, {.requires_grad = true});
  const tl::Tensor mask = tl::tensor({{true, false, true}, {true, true, false}});
  check_close(F::masked_sum(x, mask), {}, {13});
  check_close(F::masked_sum(x, mask, 1), 2, {4, 9});
  check_close(F::masked_mean(x, mask, 1, true), {2, 1}, {2, 4.5});
  check_close(F::masked_max(x, mask, -1), 2, {3, 5});
  (F::masked_mean(x, mask, 1) + F::masked_max(x, mask, 1)).sum().backward();
  check_close(x.grad(), {2, 3}, {0.5, 0, 1.5, 0.5, 1.5, 0});
}

TEST_CASE(
    "masked reductions: a mask broadcasts; of nothing the sum is 0, the mean NaN, the max an Error") {
  const tl::Tensor x = tl::tensor({{1., 2.}, {3., 4.}}), none = tl::tensor({false, false});
  check_close(F::masked_sum(x, tl::tensor({false, true})), {}, {6});
  check_close(F::masked_sum(x, none, 0), 2, {0, 0});
  check_close(F::masked_mean(x, tl::tensor({{true}, {false}}), 1), 2, {1.5, nan_value});
  CHECK(says(error_of([&] { F::masked_max(x, none); }), "masked_max", "nothing"));
  CHECK(says(error_of([&] { F::masked_sum(x, tl::ones({2})); }), "masked_sum", "bool", "float32"));
  CHECK(says(error_of([&] { F::masked_sum(x, tl::ones({3}, {.dtype = tl::boolean})); }), "(3,)",
             "(2, 2)"));
}

TEST_CASE("masked reductions: gradients agree with finite differences") {
  const tl::Tensor mask = tl::tensor({{true, false, true}, {true, true, false}});
  for (const auto reduction : {F::masked_sum, F::masked_mean, F::masked_max})
    CHECK(tl::gradcheck([&](const auto& in) { return reduction(in[0], mask, 1, false); },
                        {input({2, 3})}));
}

TEST_CASE("one_hot: a 1 at each number, and an Error that names one outside") {
  const tl::Tensor y = F::one_hot(tl::tensor({{0, 2}, {1, 0}}));
  CHECK(y.dtype() == tl::int64);
  check_close(y, {2, 2, 3}, {1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0});
  CHECK(F::one_hot(ints({1}), 4).shape() == tl::Shape{1, 4});
  CHECK(says(error_of([] { F::one_hot(ints({1, 4}), 4); }), "one_hot", "4", "position 1"));
  CHECK(says(error_of([] { F::one_hot(ints({-1, 4})); }), "-1", "position 0"));
  CHECK(says(error_of([] { F::one_hot(ints({1}), 0); }), "num_classes is 0"));
  CHECK(says(error_of([] { F::one_hot(tl::zeros({0}, {.dtype = tl::int64})); }), "num_classes"));
  CHECK(says(error_of([] { F::one_hot(ints({INT64_MAX})); }), "9223372036854775807"));
  CHECK(says(error_of([] { F::one_hot(tl::ones({1})); }), "int64", "float32"));
}

TEST_CASE("normalize: unit norm along a dim, and no NaN at 0") {
  const tl::Tensor x = tl::tensor({{3., 4.}, {0., 0.}}, {.requires_grad = true});
  const tl::Tensor y = F::normalize(x);
  check_close(y, {2, 2}, {0.6, 0.8, 0, 0});
  y.sum().backward();
  CHECK(x.grad().isfinite().all().item<bool>());
  CHECK(tl::gradcheck([](const auto& in) { return F::normalize(in[0], 3, 0); }, {input({3, 2})}));
}

TEST_CASE("pad: in every mode, with gradients; the numbers begin with the last dim") {
  const tl::Tensor x = tl::tensor({{1., 2., 3.}});
  check_close(F::pad(x, {1, 2}), {1, 6}, {0, 1, 2, 3, 0, 0});
  check_close(F::pad(x, {0, -1, 1, 0}, F::PadMode::constant, 9), {2, 2}, {9, 9, 1, 2});
  check_close(F::pad(x, {2, 1}, F::PadMode::reflect), {1, 6}, {3, 2, 1, 2, 3, 2});
  check_close(F::pad(x, {1, 1}, F::PadMode::replicate), {1, 5}, {1, 1, 2, 3, 3});
  check_close(F::pad(x, {1, 2}, F::PadMode::circular), {1, 6}, {3, 1, 2, 3, 1, 2});
  CHECK(F::pad(x, {}).is_view_of(x));
  for (const auto mode :
       {F::PadMode::constant, F::PadMode::reflect, F::PadMode::replicate, F::PadMode::circular})
    CHECK(tl::gradcheck(
        [=](const auto& in) {
          return F::pad(in[0], {1, 2, 0, 1}, mode).square();
        },
        {input({2, 3, 4})}, {.second_order = true}));
}

TEST_CASE("pad: padding that doesn't fit is named") {
  const tl::Tensor x = tl::ones({2, 3});
  CHECK(says(error_of([&] { F::pad(x, {1}); }), "pad", "two for each dim"));
  CHECK(says(error_of([&] { F::pad(x, {1, 1, 1, 1, 1, 1}); }), "pad", "(2, 3)"));
  CHECK(says(error_of([&] { F::pad(x, {INT64_MAX, 1}); }), "pad", "9223372036854775807"));
  CHECK(says(error_of([&] { F::pad(x, {-2, -2}); }), "pad", "(-2, -2)", "(2, 3)"));
  CHECK(says(error_of([&] { F::pad(x, {3, 0}, F::PadMode::reflect); }), "(3, 0)", "0 … 2"));
  CHECK(says(error_of([&] { F::pad(x, {4, 0}, F::PadMode::circular); }), "(4, 0)", "0 … 3"));
  CHECK(says(error_of([&] { F::pad(x, {-1, 0}, F::PadMode::replicate); }), "(-1, 0)"));
}

TEST_CASE("conv1d and avg_pool2d: gradients agree with finite differences") {
  const auto conv = [](const auto& in) { return F::conv1d(in[0], in[1], in[2], 2, 1, 2, 2); };
  CHECK(tl::gradcheck(conv, {input({2, 4, 7}), input({4, 2, 2}), input({4})}));
  for (const bool counts : {true, false})
    CHECK(tl::gradcheck(
        [=](const auto& in) {
          return F::avg_pool2d(in[0], {3, 2}, nn::Pair(2, 1), 1, counts);
        },
        {input({2, 2, 5, 4})}));
}

TEST_CASE("conv1d and avg_pool2d: what doesn't fit is named") {
  const tl::Tensor x = tl::ones({1, 2, 4});
  CHECK(says(error_of([&] { F::conv1d(x, tl::ones({1, 3, 2})); }), "conv1d", "(1, 3, 2)", "(1, 2, 4)"));
  CHECK(says(error_of([&] { F::conv1d(x, tl::ones({1, 2})); }), "conv1d", "(1, 2)"));
  CHECK(says(error_of([&] { F::conv1d(x[0], tl::ones({1, 2, 2})); }), "conv1d", "(2, 4)"));
  CHECK(says(error_of([&] { F::conv1d(x, tl::ones({1, 2, 5})); }), "conv1d", "larger"));
  CHECK(says(error_of([] { nn::Conv1d(3, 4, 0); }), "Conv1d", "kernel_size"));
  CHECK(says(error_of([] {
               F::avg_pool2d(tl::ones({1, 1, 4, 4}), 2, {}, 2);
             }),
             "avg_pool2d", "padding (2, 2)"));
  CHECK(says(error_of([] {
               F::avg_pool2d(tl::ones({1, 1, 4, 4}), 2, {}, 0, true, 0);
             }),
             "divisor_override"));
}

TEST_CASE("clip_grad_value_: cuts gradients off, and leaves small ones") {
  tl::Tensor w = tl::tensor({1., 1., 1.}, {.requires_grad = true});
  w.set_grad(tl::tensor({-5., 0.5, 2.}));
  nn::utils::clip_grad_value_({w, tl::ones({2}, {.requires_grad = true})}, 1);
  check_close(w.grad(), 3, {-1, 0.5, 1});
  CHECK(says(error_of([&] { nn::utils::clip_grad_value_({w}, -1); }), "clip_grad_value_", "-1"));
}

TEST_CASE("clip_grad_norm_: gives the norm before, leaves small gradients as they are") {
  tl::Tensor w = tl::tensor({1., 1.}, {.requires_grad = true});
  CHECK(nn::utils::clip_grad_norm_({w}, 1).item<double>() == 0);
  w.set_grad(tl::tensor({3., 4.}));
  check_close(nn::utils::clip_grad_norm_({w}, 10), {}, {5});
  check_close(w.grad(), 2, {3, 4});
  check_close(nn::utils::clip_grad_norm_({w}, 1), {}, {5});
  check_close(w.grad(), 2, {0.6, 0.8});
  w.set_grad(tl::tensor({nan_value, 4.}));
  CHECK(says(error_of([&] { nn::utils::clip_grad_norm_({w}, 1, {.error_if_nonfinite = true}); }),
             "clip_grad_norm_", "nan"));
  check_close(w.grad(), 2, {nan_value, 4});
}
