#include "values.h"

TEST_CASE("random: a seed fixes everything, and the state is visible") {
  tl::manual_seed(7);
  const tl::Tensor a = tl::randn(5), b = tl::randn(5);
  CHECK_FALSE(tl::eq(a, b).all().item<bool>());
  tl::manual_seed(7);
  CHECK(tl::eq(tl::randn(5), a).all().item<bool>());
  const tl::Generator saved = tl::default_generator();
  const tl::Tensor c = tl::rand(3);
  tl::default_generator() = saved;
  CHECK(tl::eq(tl::rand(3), c).all().item<bool>());
}

TEST_CASE("random: known Philox numbers") {
  // Philox4x32-10 with key 0 and counter 0 gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  tl::Generator generator{0, 0};
  const double scale = 1.0 / (1 << 24);
  check_exact(tl::rand(4, {}, &generator), 4,
              {(0x6627e8d5 >> 8) * scale, (0xe169c58du >> 8) * scale, (0xbc57ac4cu >> 8) * scale,
               (0x9b00dbd8u >> 8) * scale});
  CHECK(generator.offset == 1);
}

TEST_CASE("random: distributions have their moments and ranges") {
  tl::Generator generator{11, 0};
  const tl::Tensor z = tl::randn(100000, {}, &generator);
  CHECK(std::abs(z.mean().item<double>()) < 0.02);
  CHECK(std::abs(z.std().item<double>() - 1) < 0.02);
  const tl::Tensor u = tl::uniform(100000, -2, 4, {}, &generator);
  CHECK(u.min().item<double>() >= -2);
  CHECK(u.max().item<double>() < 4);
  CHECK(std::abs(u.mean().item<double>() - 1) < 0.05);
  const tl::Tensor n = tl::randint(-3, 3, 10000, {}, &generator);
  CHECK(n.dtype() == tl::int64);
  CHECK(n.min().item<int>() == -3);
  CHECK(n.max().item<int>() == 2);
  for (const std::int64_t low :
       {(std::int64_t{1} << 53) + 1, INT64_MIN, INT64_MAX - 2, -(std::int64_t{1} << 53) - 3})
    for (const std::int64_t x :
         tl::randint(low, low + 2, 100, {}, &generator).to_vector<std::int64_t>()) {
      CHECK(x >= low);
      CHECK(x < low + 2);
    }
  const tl::Tensor real =
      tl::randint(INT64_MAX - 2, INT64_MAX, 5, {.dtype = tl::float64, .requires_grad = true});
  CHECK(real.dtype() == tl::float64);
  CHECK(real.requires_grad());
  CHECK_RAISES(tl::randint(INT64_MIN, INT64_MAX, 1), "randint", "2^53");
  CHECK_RAISES(tl::randint(0, (std::int64_t{1} << 53) + 1, 1), "randint", "2^53");
  const tl::Tensor coin = tl::bernoulli(100000, 0.3, {}, &generator);
  CHECK(std::abs(coin.mean().item<double>() - 0.3) < 0.01);
  CHECK(tl::bernoulli(4, 1, {.dtype = tl::boolean}, &generator).all().item<bool>());
  CHECK_RAISES(tl::bernoulli(1, 1.5), "bernoulli", "1.5");
  CHECK_RAISES(tl::randint(3, 3, 1), "randint");
  CHECK_RAISES(tl::normal(1, 0, -1), "normal");
}

TEST_CASE("randperm: a permutation that depends on the seed alone") {
  tl::Generator one{5, 0}, same{5, 0}, other{6, 0};
  const tl::Tensor p = tl::randperm(50, {}, &one);
  CHECK(p.to_vector<int>() == tl::randperm(50, {}, &same).to_vector<int>());
  CHECK(p.to_vector<int>() != tl::randperm(50, {}, &other).to_vector<int>());
  std::vector<int> sorted = p.to_vector<int>();
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 50; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
}
