#include <algorithm>
#include <cmath>
#include <set>

#include <torchlight/data.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace data = torchlight::data;
using tl::test::error_of, tl::test::says;

namespace {

using Order = std::vector<std::int64_t>;

Order order_of(const data::Sampler& sampler, std::int64_t epoch = 0) {
  const tl::Tensor order = sampler.order(epoch);
  CHECK(order.dtype() == tl::int64);
  CHECK(order.shape().str() == tl::Shape{sampler.size()}.str());
  return order.to_vector<std::int64_t>();
}

Order sorted(Order order) {
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<double> shares(const Order& order, std::size_t count) {
  std::vector<double> share(count);
  for (const std::int64_t i : order)
    share.at(static_cast<std::size_t>(i)) += 1.0 / double(order.size());
  return share;
}

}  // namespace

TEST_CASE("sampler: in order, and at random with and without replacement") {
  CHECK(order_of(data::SequentialSampler(3), 5) == Order{0, 1, 2});
  const data::RandomSampler all(10, {.seed = 1});
  CHECK(sorted(order_of(all)) == Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(order_of(all) != order_of(all, 1));
  CHECK(order_of(all) == order_of(data::RandomSampler(10, {.seed = 1})));
  CHECK(order_of(all) != order_of(data::RandomSampler(10, {.seed = 2})));

  const Order some = order_of(data::RandomSampler(10, {.num_samples = 4, .seed = 1}));
  CHECK(std::set(some.begin(), some.end()).size() == 4);

  const Order many =
      order_of(data::RandomSampler(4, {.replacement = true, .num_samples = 40000, .seed = 1}));
  for (const double share : shares(many, 4)) CHECK(share == doctest::Approx(0.25).epsilon(0.03));
  CHECK(order_of(data::RandomSampler(0)).empty());
}

TEST_CASE("sampler: weights are what is drawn, and a weight of 0 never is") {
  const tl::Tensor weights = tl::tensor({0.0, 1.0, 3.0, 0.0}, {.dtype = tl::float64});
  const data::WeightedRandomSampler drawn(weights, 40000, {.seed = 3});
  const std::vector<double> share = shares(order_of(drawn), 4);
  CHECK(share[0] == 0);
  CHECK(share[1] == doctest::Approx(0.25).epsilon(0.03));
  CHECK(share[2] == doctest::Approx(0.75).epsilon(0.03));
  CHECK(share[3] == 0);
  CHECK(order_of(drawn) == order_of(drawn));
  CHECK(order_of(drawn) != order_of(drawn, 1));

  // Without replacement the first of a pair is the heavier one in 3 of 4 draws.
  const data::WeightedRandomSampler pairs(weights, 2, {.replacement = false, .seed = 3});
  double first = 0;
  for (std::int64_t epoch = 0; epoch < 2000; ++epoch) {
    const Order order = order_of(pairs, epoch);
    REQUIRE(sorted(order) == Order{1, 2});
    first += order[0] == 2 ? 1.0 / 2000 : 0;
  }
  CHECK(first == doctest::Approx(0.75).epsilon(0.06));
}

TEST_CASE("sampler: what can't be drawn is an error that says why") {
  const auto weights = [](std::vector<double> w) { return tl::tensor(w, {.dtype = tl::float64}); };
  CHECK(
      says(error_of([&] { data::RandomSampler(3, {.num_samples = 4}); }), "4 samples", "replacement"));
  CHECK(says(error_of([&] { data::RandomSampler(0, {.replacement = true, .num_samples = 1}); }),
             "0 examples"));
  CHECK(says(error_of([&] { data::RandomSampler(-1); }), "-1"));
  CHECK(says(error_of([&] { data::WeightedRandomSampler(weights({1, -1}), 1); }), "weight 1", "-1"));
  CHECK(says(error_of([&] {
               data::WeightedRandomSampler(weights({1, std::nan("")}), 1);
             }),
             "weight 1"));
  CHECK(says(error_of([&] { data::WeightedRandomSampler(weights({1e308, 1e308}), 1); }), "infinite"));
  CHECK(says(error_of([&] { data::WeightedRandomSampler(weights({0, 0}), 1); }), "every weight is 0"));
  CHECK(says(error_of([&] {
               data::WeightedRandomSampler(weights({1, 0}), 2, {.replacement = false});
             }),
             "replacement"));
  CHECK(says(error_of([&] { data::WeightedRandomSampler(tl::zeros({2, 2}), 1); }), "(2, 2)"));
}

TEST_CASE("problems: points in the unit square with the labels of their rule") {
  for (const char* name : {"simple", "diag", "split", "xor", "circle"}) {
    INFO(name);
    const auto problem = data::problems::by_name(name, 500, 7);
    const auto [points, labels] = problem.tensors();
    REQUIRE(points.shape().str() == "(500, 2)");
    CHECK(labels.dtype() == tl::int64);
    CHECK(points.min().item<double>() >= 0);
    CHECK(points.max().item<double>() < 1);
    const double ones = labels.sum().item<double>();
    CHECK(ones > 0);
    CHECK(ones < 500);
    CHECK(data::problems::by_name(name, 500, 7).tensors()[0].to_vector<float>() ==
          points.to_vector<float>());
    CHECK(data::problems::by_name(name, 500, 8).tensors()[0].to_vector<float>() !=
          points.to_vector<float>());
  }
  const auto [points, labels] = data::problems::xor_(200, 1).tensors();
  const auto p = points.to_vector<double>();
  const auto wanted = labels.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < 200; ++i)
    CHECK(((p[2 * i] < 0.5) != (p[2 * i + 1] < 0.5)) == (wanted[i] == 1));
}

TEST_CASE("problems: the spiral has two arms, each the other turned by half a circle") {
  const auto [points, labels] = data::problems::spiral(100).tensors();
  const auto p = points.to_vector<double>();
  CHECK(labels.sum().item<double>() == 50);
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(p[2 * i] + p[2 * (i + 50)] == doctest::Approx(1));
    CHECK(p[2 * i + 1] + p[2 * (i + 50) + 1] == doctest::Approx(1));
  }
  CHECK(data::problems::spiral(0).size() == 0);
  CHECK(data::problems::spiral(1).size() == 1);
  CHECK(says(error_of([] { data::problems::by_name("moons", 1); }), "moons", "circle"));
  CHECK(says(error_of([] { data::problems::simple(-1); }), "-1"));
}
