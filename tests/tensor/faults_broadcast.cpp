// Known faults of comparable libraries: broadcasting, views and reductions.
#include "values.h"

TEST_CASE("A02: max, min and argmax over an empty dim raise, beside one they don't") {
  const tl::Tensor z = tl::zeros({2, 0});
  check_exact(z.max(0), 0, {});
  check_exact(z.min(0), 0, {});
  check_exact(z.argmax(0), 0, {});
  CHECK_RAISES(z.max(1), "max", "(2, 0)");
  CHECK_RAISES(z.max(), "max");
  CHECK_RAISES(z.min(1), "min");
  CHECK_RAISES(z.min(), "min");
  CHECK_RAISES(z.argmax(1), "argmax");
  CHECK_RAISES(z.argmax(), "argmax");
  CHECK_RAISES(z.argmin(1), "argmin");
}

TEST_CASE("A03: sum, prod and mean of nothing are the identity, never stale memory") {
  for (int run = 0; run < 3; ++run) {
    const tl::Tensor z = tl::zeros({2, 0});
    poison(2);
    check_exact(z.sum(1), 2, {0, 0});
    poison(2);
    check_exact(z.prod(1), 2, {1, 1});
    poison(2);
    check_exact(z.mean(1), 2, {nan_value, nan_value});
    poison(1);
    check_exact(tl::zeros(0).sum(), {}, {0});
    poison(3);
    check_exact(tl::zeros({0, 3}).sum(0), 3, {0, 0, 0});
    check_exact(z.any(1), 2, {0, 0});
    check_exact(z.all(1), 2, {1, 1});
  }
}

TEST_CASE("A04: writing into an expanded tensor raises and changes nothing") {
  tl::Tensor x = tl::tensor({1.0});
  tl::Tensor y = x.expand({4, 5});
  CHECK_RAISES(y.add_(1), "add_", "(4, 5)");
  CHECK_RAISES(y.fill_(7), "fill_");
  CHECK_RAISES(y.copy_(tl::ones({4, 5})), "copy_");
  CHECK_RAISES(y.mul_(2), "mul_");
  CHECK_RAISES(y.exp_(), "exp_");
  CHECK_RAISES(y += 1, "add_");
  CHECK_RAISES(tl::arange(6).to(tl::float32).unfold(0, 3, 1).add_(1), "add_");
  check_exact(x, 1, {1});
}

TEST_CASE("A07: NaN wins in max and min wherever it stands") {
  const tl::Tensor a = tl::tensor({nan_value, 1.0}), b = tl::tensor({1.0, nan_value});
  check_exact(tl::maximum(a, b), 2, {nan_value, nan_value});
  check_exact(tl::maximum(b, a), 2, {nan_value, nan_value});
  check_exact(tl::minimum(a, b), 2, {nan_value, nan_value});
  check_exact(tl::minimum(b, a), 2, {nan_value, nan_value});
  for (int n = 1; n <= 40; ++n) {
    for (int p = 0; p < n; ++p) {
      CAPTURE(n);
      CAPTURE(p);
      tl::Tensor x = tl::arange(n, {.dtype = tl::float32});
      x[p].fill_(nan_value);
      CHECK(std::isnan(x.max().item<float>()));
      CHECK(std::isnan(x.min().item<float>()));
      CHECK(x.argmax().item<std::int64_t>() == p);
      // Down a column, too, where another path reduces.
      CHECK(std::isnan(x.reshape({n, 1}).expand({n, 3}).max(0)[1].item<float>()));
    }
  }
  CHECK(std::isnan(tl::tensor({nan_value, nan_value}).min().item<float>()));
}

TEST_CASE("A09: reshape never keeps a -1 and never guesses") {
  CHECK_RAISES(tl::zeros({1, 0, 32}).reshape({1, 0, -1}), "reshape", "-1");
  check_exact(tl::zeros({2, 0}).reshape({0, 3}), {0, 3}, {});
  check_exact(tl::zeros({2, 0}).reshape({-1}), 0, {});
  check_exact(tl::zeros({2, 0}).reshape({-1, 2}), {0, 2}, {});
  CHECK_RAISES(tl::zeros({2, 3}).reshape({-1, -1}), "reshape", "only one");
  CHECK_RAISES(tl::zeros({2, 3}).reshape({4, -1}), "reshape", "(2, 3)", "(4, -1)");
  CHECK_RAISES(tl::zeros({2, 3}).reshape({-2, -3}), "negative");
}

TEST_CASE("A10: dims are normalised before anything else is decided") {
  const tl::Tensor x = tl::tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  check_exact(x.sum(-1), 2, {6, 15});
  check_exact(x.sum(-2), 3, {5, 7, 9});
  check_exact(x.sum({0, -1}), {}, {21});
  check_exact(x.sum(-1, true), {2, 1}, {6, 15});
  CHECK_RAISES(x.sum({0, -2}), "sum", "twice");
  CHECK_RAISES(x.sum(2), "sum", "dim 2");
  CHECK_RAISES(x.sum(-3), "sum", "dim -3");
  const tl::Tensor empty = tl::zeros({2, 0});
  CHECK_RAISES(empty.sum({0, -2}), "twice");
  CHECK_RAISES(empty.sum(2), "dim 2");
  CHECK_RAISES(empty.sum(-3), "dim -3");
}

TEST_CASE("A11: sizes that can't be counted raise at once") {
  CHECK_RAISES(tl::empty({65536, 65536, 65536, 65536}), "65536");
  CHECK_RAISES(tl::empty({(std::int64_t{1} << 62) + 2}), "bytes");
  CHECK_RAISES(tl::empty({-1}), "-1");
  CHECK_RAISES(tl::empty({std::int64_t{1} << 31, std::int64_t{1} << 31, 2}), "int64");
  CHECK_RAISES(tl::tensor({1.0}).expand({std::int64_t{1} << 40, std::int64_t{1} << 40}).contiguous(),
               "int64");
  // Nothing in it, or a clean error: either is right.
  std::int64_t numel = 0;
  error_of([&] { numel = tl::empty({0, std::int64_t{1} << 62, 4}).numel(); });
  CHECK(numel == 0);
}

TEST_CASE("A15: negative strides read, slice and differentiate right") {
  tl::Tensor x = leaf({1.0, 2.0, 3.0, 4.0, 5.0});
  check_exact(x.flip(0).slice(0, 1, 4), 3, {4, 3, 2});
  check_exact(x.slice(0, {}, {}, -2), 3, {5, 3, 1});
  (x.flip(0) * tl::tensor({1.0, 2.0, 3.0, 4.0, 5.0})).sum().backward();
  check_exact(x.grad(), 5, {5, 4, 3, 2, 1});
  float values[] = {1, 2, 3, 4};
  check_exact(tl::from_blob(values + 3, 4, tl::float32, -1), 4, {4, 3, 2, 1});
}
