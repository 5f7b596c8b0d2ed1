#include <limits>

#include "common.h"

namespace {

struct Setting {
  nn::Pair kernel, stride, padding, dilation;
  std::int64_t groups;
};
const Setting settings[] = {
    {3, 1, 1, 1, 1}, {{2, 3}, {2, 1}, {0, 2}, 1, 1}, {3, 2, 1, 2, 2},
    {1, 1, 0, 1, 4}, {{4, 1}, 3, {2, 0}, {1, 3}, 1},
};

// The definition, element by element.
tl::Tensor convolve(const tl::Tensor& x, const tl::Tensor& w, const tl::Tensor& b, const Setting& s) {
  const std::vector<double> xs = x.to_vector<double>(), ws = w.to_vector<double>(),
                            bs = b.to_vector<double>();
  const auto place = [](const tl::Tensor& t, std::int64_t i, std::int64_t j, std::int64_t k,
                        std::int64_t l) {
    return static_cast<std::size_t>(((i * t.size(1) + j) * t.size(2) + k) * t.size(3) + l);
  };
  const std::int64_t height =
      (x.size(2) + 2 * s.padding.height - s.dilation.height * (w.size(2) - 1) - 1) / s.stride.height +
      1;
  const std::int64_t width =
      (x.size(3) + 2 * s.padding.width - s.dilation.width * (w.size(3) - 1) - 1) / s.stride.width + 1;
  std::vector<double> result;
  for (std::int64_t n = 0; n < x.size(0); ++n)
    for (std::int64_t o = 0; o < w.size(0); ++o)
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = 0; j < width; ++j) {
          double sum = bs[static_cast<std::size_t>(o)];
          for (std::int64_t c = 0; c < w.size(1); ++c)
            for (std::int64_t k = 0; k < w.size(2); ++k)
              for (std::int64_t l = 0; l < w.size(3); ++l) {
                const std::int64_t row = i * s.stride.height + k * s.dilation.height - s.padding.height;
                const std::int64_t column = j * s.stride.width + l * s.dilation.width - s.padding.width;
                const std::int64_t channel = o / (w.size(0) / s.groups) * w.size(1) + c;
                if (row >= 0 && row < x.size(2) && column >= 0 && column < x.size(3))
                  sum += xs[place(x, n, channel, row, column)] * ws[place(w, o, c, k, l)];
              }
          result.push_back(sum);
        }
  return tl::tensor(result, f64).reshape({x.size(0), w.size(0), height, width});
}

}  // namespace

TEST_CASE("conv2d: agrees with its definition for every stride, padding, dilation and grouping") {
  tl::manual_seed(2);
  for (const Setting& s : settings) {
    const tl::Tensor x = tl::randn({2, 4, 7, 6}, f64), b = tl::randn({8}, f64);
    const tl::Tensor w = tl::randn({8, 4 / s.groups, s.kernel.height, s.kernel.width}, f64);
    const tl::Tensor wanted = convolve(x, w, b, s);
    const tl::Tensor got = F::conv2d(x, w, b, s.stride, s.padding, s.dilation, s.groups);
    check_close(got, wanted.shape(), wanted.to_vector<double>(), 1e-12, 1e-12);
    CHECK_FALSE(tl::allclose(
        F::conv2d(x, w.flip({-1, -2}), b, s.stride, s.padding, s.dilation, s.groups) + 1, wanted));
  }
}

TEST_CASE("conv2d: gradients agree with finite differences") {
  tl::manual_seed(3);
  for (const Setting& s : settings) {
    const auto fn = [&](const std::vector<tl::Tensor>& in) {
      return F::conv2d(in[0], in[1], in[2], s.stride, s.padding, s.dilation, s.groups);
    };
    CHECK(tl::gradcheck(fn, {input({2, 4, 6, 5}),
                             input({4, 4 / s.groups, s.kernel.height, s.kernel.width}), input({4})}));
  }
}

TEST_CASE("conv2d: its gradient has a gradient") {
  const auto fn = [&](const std::vector<tl::Tensor>& in) {
    return F::conv2d(in[0], in[1], {}, 1, 1).square();
  };
  CHECK(tl::gradcheck(fn, {input({1, 1, 3, 3}), input({1, 1, 2, 2})}, {.second_order = true}));
}

TEST_CASE("conv2d: a small sum by hand") {
  const tl::Tensor x = tl::arange(9).to(tl::float32).reshape({1, 1, 3, 3});
  const tl::Tensor w = tl::tensor({{{{1., 0.}, {0., -1.}}}});
  check_close(F::conv2d(x, w), {1, 1, 2, 2}, {-4, -4, -4, -4});
  check_close(F::conv2d(x, w, tl::tensor({10.}), 2, 1), {1, 1, 2, 2}, {10, 8, 4, 6});
}

TEST_CASE("conv2d: an empty batch gives an empty result") {
  CHECK(F::conv2d(tl::zeros({0, 2, 5, 5}), tl::ones({3, 2, 3, 3})).shape() == tl::Shape{0, 3, 3, 3});
}

TEST_CASE("Conv2d: parameters start uniform within 1/sqrt(fan_in)") {
  const nn::Conv2d conv(8, 64, 5, {.groups = 2});
  CHECK(conv.weight.shape() == tl::Shape{64, 4, 5, 5});
  CHECK(conv.weight.abs().max().item<double>() <= 0.1);
  CHECK(conv.weight.abs().max().item<double>() > 0.099);
  CHECK(conv.bias.abs().max().item<double>() <= 0.1);
  CHECK_FALSE(nn::Conv2d(1, 1, 1, {.bias = false}).bias.defined());
}

TEST_CASE("conv2d: what doesn't fit is named") {
  const tl::Tensor x = tl::ones({1, 2, 4, 4});
  CHECK(says(error_of([&] {
               F::conv2d(x, tl::ones({1, 3, 2, 2}));
             }),
             "conv2d", "(1, 3, 2, 2)", "(1, 2, 4, 4)"));
  CHECK(says(error_of([&] {
               F::conv2d(x, tl::ones({1, 2, 5, 1}));
             }),
             "conv2d", "(5, 1)", "(1, 2, 4, 4)"));
  CHECK(says(error_of([&] { F::conv2d(x, tl::ones({2, 2, 2})); }), "conv2d", "(2, 2, 2)"));
  CHECK(says(error_of([&] { F::conv2d(x[0], tl::ones({1, 2, 2, 2})); }), "conv2d", "(2, 4, 4)"));
  CHECK(says(error_of([&] { F::conv2d(x, tl::ones({1, 2, 2, 2}), tl::ones({2})); }), "conv2d", "bias"));
  CHECK(says(error_of([&] {
               F::conv2d(x, tl::ones({1, 2, 2, 2}), {}, 0);
             }),
             "conv2d", "stride (0, 0)"));
  CHECK(says(error_of([&] { nn::Conv2d(3, 4, 1, {.groups = 2}); }), "Conv2d", "3", "2 groups"));
}

TEST_CASE("max_pool2d: takes the maximum of each window") {
  const tl::Tensor x = tl::arange(16).to(tl::float32).reshape({1, 1, 4, 4});
  check_close(nn::MaxPool2d(2)(x), {1, 1, 2, 2}, {5, 7, 13, 15});
  check_close(F::max_pool2d(-x, 3, 1), {1, 1, 2, 2}, {0, -1, -4, -5});
  check_close(F::max_pool2d(-x, 2, 2, 1), {1, 1, 3, 3}, {0, -1, -3, -4, -5, -7, -12, -13, -15});
  check_close(F::max_pool2d(x, 2, 1, 0, 2), {1, 1, 2, 2}, {10, 11, 14, 15});
  check_close(F::max_pool2d(tl::tensor({{{{1., std::nan("")}, {3., 4.}}}}), 2), {1, 1, 1, 1},
              {std::nan("")});
}

TEST_CASE("max_pool2d: among equal values the first one has the gradient") {
  const tl::Tensor x = tl::tensor({{{{1., 2.}, {2., 2.}}}}, {.requires_grad = true});
  F::max_pool2d(x, 2).sum().backward();
  check_close(x.grad(), {1, 1, 2, 2}, {0, 1, 0, 0});
}

TEST_CASE("max_pool2d: gradients agree with finite differences") {
  for (const std::int64_t padding : {0, 1}) {
    const auto fn = [=](const std::vector<tl::Tensor>& in) {
      return F::max_pool2d(in[0], 3, 2, padding);
    };
    CHECK(tl::gradcheck(fn, {input({2, 3, 7, 6})}));
  }
}

TEST_CASE("max_pool2d: what doesn't fit is named") {
  CHECK(says(error_of([] {
               F::max_pool2d(tl::ones({1, 1, 4, 4}), 2, 2, 2);
             }),
             "max_pool2d", "padding (2, 2)"));
  CHECK(says(error_of([] { F::max_pool2d(tl::ones({1, 1, 1, 1}), 2); }), "max_pool2d", "(2, 2)"));
}

TEST_CASE("pad2d: surrounds the last two dims, and its gradient is the inside") {
  const tl::Tensor x = tl::tensor({{1., 2.}}, {.requires_grad = true});
  const tl::Tensor y = F::pad2d(x, {1, 2}, 7);
  check_close(y, {3, 6}, {7, 7, 7, 7, 7, 7, 7, 7, 1, 2, 7, 7, 7, 7, 7, 7, 7, 7});
  (y * tl::arange(18).reshape({3, 6}).to(tl::float32)).sum().backward();
  check_close(x.grad(), {1, 2}, {8, 9});
  CHECK(says(error_of([&] { F::pad2d(x, -1); }), "pad2d", "(1, 2)", "(-1, -1)"));
}

TEST_CASE("conv2d, max_pool2d: sizes whose sums leave int64 are refused") {
  const tl::Tensor x = tl::zeros({1, 1, 5, 5});
  for (const nn::Conv2dOptions& options :
       {nn::Conv2dOptions{.padding = INT64_MAX}, {.dilation = INT64_MAX}})
    CHECK(says(error_of([&] { nn::Conv2d(1, 1, 3, options)(x); }), "Conv2d", "9223372036854775807",
               "too large"));
  CHECK(says(error_of([&] { nn::MaxPool2d(3, {.padding = INT64_MAX}); }), "MaxPool2d"));
  CHECK(says(error_of([&] { nn::MaxPool2d{0}; }), "MaxPool2d: kernel_size (0, 0)"));
  CHECK(says(error_of([&] { nn::AvgPool2d(2, {.stride = -1}); }), "AvgPool2d"));
  CHECK(says(error_of([&] { nn::AvgPool2d(2, {.divisor_override = 0}); }), "AvgPool2d"));
}

TEST_CASE("conv2d: a size that no convolution can have is an Error when it is made") {
  CHECK(says(error_of([] { nn::Conv2d(3, 4, 0); }), "Conv2d", "kernel_size", "at least 1"));
  CHECK(says(error_of([] { nn::Conv2d(3, 4, 3, {.stride = 0}); }), "Conv2d", "stride", "at least 1"));
  CHECK(
      says(error_of([] { nn::Conv2d(3, 4, 3, {.padding = -1}); }), "Conv2d", "padding", "at least 0"));
}
