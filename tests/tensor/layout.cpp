#include "values.h"

TEST_CASE("views share storage, and reshape copies only where it must") {
  const tl::Tensor x = tl::arange(24).reshape({2, 3, 4});
  CHECK(x.reshape({6, 4}).is_view_of(x));
  CHECK(x.transpose(0, 1).is_view_of(x));
  CHECK(x.transpose(0, 1).view({3, 2, 2, 2}).is_view_of(x));
  CHECK_FALSE(x.transpose(0, 1).reshape({6, 4}).is_view_of(x));
  CHECK_RAISES(x.transpose(0, 1).view({6, 4}), "view", "reshape");
  check_exact(x.transpose(0, 2).reshape({4, 6})[1], 6, {1, 13, 5, 17, 9, 21});
  CHECK(x.permute({2, 0, 1}).shape() == tl::Shape{4, 2, 3});
  CHECK_RAISES(x.permute({0, 1}), "permute");
  CHECK_RAISES(x.permute({0, 1, 1}), "twice");
}

TEST_CASE("view: every reshape of every strided view agrees with a copy") {
  const tl::Tensor x = tl::arange(48).reshape({2, 1, 4, 6});
  const std::vector<tl::Tensor> views{x,
                                      x.transpose(2, 3),
                                      x.permute({3, 1, 0, 2}),
                                      x.slice(3, 0, 6, 2),
                                      x.slice(2, 1, 3),
                                      x.flip({2, 3}),
                                      x.select(0, 1),
                                      x.slice(0, 1, 2).flip(0)};
  for (const tl::Tensor& v : views) {
    const std::int64_t n = v.numel();
    for (std::int64_t a = 1; a <= n; ++a)
      for (std::int64_t b = 1; a * b <= n; ++b) {
        if (n % (a * b) != 0) continue;
        const tl::Shape shape{a, b, n / (a * b)};
        CHECK(v.reshape(shape).to_vector<double>() == v.to_vector<double>());
      }
  }
}

TEST_CASE("slice: bounds and steps as Python's") {
  const tl::Tensor x = tl::arange(5);
  const auto check = [&](tl::Slice s, const std::vector<double>& expected) {
    check_exact(x.index({s}), static_cast<std::int64_t>(expected.size()), expected);
  };
  check({}, {0, 1, 2, 3, 4});
  check({1, 3}, {1, 2});
  check({-2}, {3, 4});
  check({{}, -3}, {0, 1});
  check({0, 100, 2}, {0, 2, 4});
  check({{}, {}, -1}, {4, 3, 2, 1, 0});
  check({3, 0, -2}, {3, 1});
  check({3, 1}, {});
  check({-100, 2}, {0, 1});
  CHECK_RAISES(x.slice(0, 0, 5, 0), "step");
  CHECK_RAISES(x.slice(1), "dim 1");
}

TEST_CASE("select, index, squeeze, unsqueeze, flatten, expand") {
  const tl::Tensor x = tl::arange(6).reshape({2, 3});
  check_exact(x[-1], 3, {3, 4, 5});
  CHECK_RAISES(x[2], "select", "2");
  CHECK(x.index({0, 1}).item<int>() == 1);
  CHECK(x.index({std::nullopt, tl::Slice(), 1}).shape() == tl::Shape{1, 2});
  CHECK_RAISES(x.index({0, 0, 0}), "too many");
  CHECK(x.unsqueeze(-1).unsqueeze(0).shape() == tl::Shape{1, 2, 3, 1});
  CHECK(x.unsqueeze(0).squeeze().shape() == tl::Shape{2, 3});
  CHECK(x.squeeze(0).shape() == tl::Shape{2, 3});
  CHECK(tl::zeros({2, 3, 4}).flatten(1).shape() == tl::Shape{2, 12});
  CHECK(tl::zeros({}).flatten().shape() == tl::Shape(1));
  check_exact(tl::tensor({{1}, {2}}).expand({-1, 2}), {2, 2}, {1, 1, 2, 2});
  CHECK_RAISES(x.expand({3, 3}), "expand", "(2, 3)", "(3, 3)");
}

TEST_CASE("cat, stack, split, chunk") {
  const tl::Tensor a = tl::tensor({{1, 2}}), b = tl::tensor({{3, 4}, {5, 6}});
  check_exact(tl::cat({a, b}), {3, 2}, {1, 2, 3, 4, 5, 6});
  check_exact(tl::cat({b, b}, -1), {2, 4}, {3, 4, 3, 4, 5, 6, 5, 6});
  CHECK_RAISES(tl::cat({a, tl::ones({1, 3})}), "cat", "(1, 2)", "(1, 3)");
  CHECK_RAISES(tl::cat({}), "empty");
  CHECK(tl::cat({tl::zeros({0, 2}), tl::ones({1, 2})}).shape() == tl::Shape{1, 2});
  CHECK(tl::stack({a, a}, 1).shape() == tl::Shape{1, 2, 2});
  CHECK_RAISES(tl::stack({a, b}), "stack");
  const auto parts = tl::arange(5).split(2);
  REQUIRE(parts.size() == 3);
  check_exact(parts[2], 1, {4});
  CHECK(tl::arange(5).chunk(3).size() == 3);
  CHECK(tl::arange(4).chunk(3).size() == 2);
}

TEST_CASE("unfold: windows are views") {
  const tl::Tensor x = tl::arange(7);
  check_exact(x.unfold(0, 3, 2), {3, 3}, {0, 1, 2, 2, 3, 4, 4, 5, 6});
  CHECK(x.unfold(0, 3, 2).is_view_of(x));
  CHECK_RAISES(x.unfold(0, 8, 1), "unfold", "8");
}

TEST_CASE("layout: the largest counts and steps") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const tl::Tensor x = leaf({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  CHECK(x.chunk(most).size() == 2);
  check_exact(x.slice(1, {}, {}, most), {2, 1}, {1, 4});
  check_exact(x.slice(1, {}, {}, least), {2, 1}, {3, 6});
  check_exact(x.slice(1, 1, {}, most), {2, 1}, {2, 5});
  const tl::Tensor windows = x.unfold(1, 2, most);
  check_exact(windows, {2, 1, 2}, {1, 2, 4, 5});
  windows.sum().backward();
  check_exact(x.grad(), {2, 3}, {1, 1, 0, 1, 1, 0});
}

TEST_CASE("by index: select, gather, scatter_add, masked_fill, and what is out of range") {
  const tl::Tensor x = tl::tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  check_exact(x.index_select(0, tl::tensor({2, 0, 2})), {3, 2}, {5, 6, 1, 2, 5, 6});
  check_exact(x.index_select(1, tl::tensor({1})), {3, 1}, {2, 4, 6});
  check_exact(x.index_select(0, tl::zeros(0, {.dtype = tl::int64})), {0, 2}, {});
  check_exact(x.gather(1, tl::tensor({{0}, {1}, {0}})), {3, 1}, {1, 4, 5});
  check_exact(x.gather(0, tl::tensor({{2, 1}})), {1, 2}, {5, 4});
  check_exact(tl::zeros({2, 2}).scatter_add(0, tl::tensor({{0, 0}, {0, 1}, {1, 0}}), x), {2, 2},
              {4, 8, 5, 4});
  // Of the tensor and of the source only what the index covers.
  check_exact(tl::zeros({3, 5}).scatter_add(1, tl::tensor({{0, 1, 0}}), tl::ones({2, 4})), {3, 5},
              {2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(tl::ones({2, 2}, {.dtype = tl::int64})
            .scatter_add(0, tl::tensor({{1}}), tl::full({1, 1}, 0.5))
            .to_vector<float>() == std::vector<float>{1, 1, 1.5, 1});
  CHECK_RAISES(x.scatter_add(0, tl::tensor({{0, 1, 2}}), tl::ones({1, 3})), "scatter_add", "(1, 3)",
               "(3, 2)");
  CHECK_RAISES(x.scatter_add(0, tl::tensor({{0, 1}}), tl::ones({1, 1})), "scatter_add", "(1, 2)",
               "(1, 1)");
  CHECK_RAISES(x.scatter_add(0, tl::tensor({0, 1}), tl::ones(2)), "scatter_add", "(2,)", "(3, 2)");
  check_exact(x.masked_fill(x > 3, 0), {3, 2}, {1, 2, 3, 0, 0, 0});
  CHECK_RAISES(x.index_select(0, tl::tensor({0, 3})), "index_select: index 3 at position 1");
  CHECK_RAISES(x.index_select(0, tl::tensor({0.5})), "index_select: the index must be int64");
  CHECK_RAISES(x.index_select(0, tl::tensor({-1})), "-1");
  CHECK_RAISES(x.index_select(0, tl::tensor({0.0})), "int64");
  CHECK_RAISES(tl::zeros({2, 2}).scatter_add(0, tl::tensor({{0, 2}}), tl::ones({1, 2})), "2");
}

TEST_CASE("index_select: a row that isn't there is an error where the result has no elements, too") {
  CHECK_RAISES(tl::zeros({3, 0}).index_select(0, tl::tensor({1, 7})), "index_select", "7",
               "position 1");
  CHECK_RAISES(tl::zeros({0, 3, 0}).index_select(2, tl::tensor({0})), "index_select", "0 entries");
  CHECK(tl::zeros({3, 0}).index_select(0, tl::tensor({2, 2})).shape() == tl::Shape{2, 0});
}

TEST_CASE("a tensor of no elements takes any shape of none, however it lies in memory") {
  const tl::Tensor e = tl::zeros({0, 3, 2}).permute({0, 2, 1});
  CHECK(e.unsqueeze(0).shape() == tl::Shape{1, 0, 2, 3});
  CHECK((e.unsqueeze(0) + 1).shape() == tl::Shape{1, 0, 2, 3});
  CHECK(tl::zeros({0, 1, 3, 2}).permute({0, 3, 1, 2}).squeeze(2).shape() == tl::Shape{0, 2, 3});
  CHECK(tl::stack({e, e}, 1).shape() == tl::Shape{0, 2, 2, 3});
  CHECK(e.view({6, 0}).shape() == tl::Shape{6, 0});
  CHECK(e.reshape({0, 7}).sum().item<float>() == 0);
  const tl::Tensor image = tl::zeros({0, 8, 5}).requires_grad_();
  const tl::Tensor y =
      tl::nn::functional::conv1d(image, tl::ones({2, 4, 3}), tl::ones({2}), 1, 0, 1, 2);
  CHECK(y.shape() == tl::Shape{0, 2, 3});
  y.sum().backward();
  CHECK(image.grad().shape() == tl::Shape{0, 8, 5});
}
