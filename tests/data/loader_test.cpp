#include <algorithm>
#include <numeric>

#include <torchlight/data.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace data = torchlight::data;
using tl::test::error_of, tl::test::says;

namespace {

using Order = std::vector<std::int64_t>;

data::TensorDataset<1> numbers(std::int64_t count) {
  return data::TensorDataset(tl::arange(static_cast<double>(count)));
}

template <class Loader> Order epoch_of(Loader& loader) {
  Order order;
  for (auto [x] : loader)
    for (const std::int64_t i : x.template to_vector<std::int64_t>()) order.push_back(i);
  return order;
}

Order counted(std::int64_t count) {
  Order order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order sorted(Order order) {
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

TEST_CASE("I01: the order depends on seed and epoch alone") {
  const auto make = [] {
    return data::DataLoader(numbers(10), {.batch_size = 3, .shuffle = true, .seed = 7});
  };
  auto loader = make();
  const Order epochs[] = {epoch_of(loader), epoch_of(loader), epoch_of(loader)};
  for (const Order& order : epochs) CHECK(sorted(order) == counted(10));
  CHECK(epochs[0] != epochs[1]);
  CHECK(epochs[1] != epochs[2]);
  CHECK(epochs[0] != epochs[2]);

  auto again = make();
  tl::manual_seed(123);  // other random numbers meanwhile don't matter
  tl::rand({5});
  CHECK(epoch_of(again) == epochs[0]);
  auto resumed = make();
  resumed.set_epoch(1);
  CHECK(epoch_of(resumed) == epochs[1]);
  CHECK(resumed.epoch() == 2);

  data::DataLoader other(numbers(10), {.batch_size = 3, .shuffle = true, .seed = 8});
  CHECK(epoch_of(other) != epochs[0]);
  data::DataLoader in_order(numbers(10), {.batch_size = 3});
  CHECK(epoch_of(in_order) == counted(10));
  CHECK(epoch_of(in_order) == counted(10));
}

TEST_CASE("I01: the orders of seed 7 are the same in every process, on every machine") {
  data::DataLoader loader(numbers(10), {.batch_size = 10, .shuffle = true, .seed = 7});
  CHECK(epoch_of(loader) == Order{7, 1, 9, 8, 0, 5, 3, 4, 6, 2});
  CHECK(epoch_of(loader) == Order{5, 0, 1, 8, 3, 9, 6, 7, 4, 2});
}

TEST_CASE("loader: without a seed of its own it follows manual_seed") {
  const auto order = [](std::uint64_t seed) {
    tl::manual_seed(seed);
    data::DataLoader loader(numbers(20), {.batch_size = 4, .shuffle = true});
    return epoch_of(loader);
  };
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
}

TEST_CASE("loader: batches are full but the last, which may be left out") {
  data::DataLoader loader(numbers(10), {.batch_size = 4});
  std::vector<std::int64_t> sizes;
  for (auto [x] : loader) sizes.push_back(x.size(0));
  CHECK(sizes == Order{4, 4, 2});
  CHECK(loader.size() == 3);

  data::DataLoader dropping(numbers(10), {.batch_size = 4, .drop_last = true});
  CHECK(epoch_of(dropping) == counted(8));
  CHECK(dropping.size() == 2);
  data::DataLoader large(numbers(3), {.batch_size = 100});
  CHECK(epoch_of(large) == counted(3));
  data::DataLoader exact(numbers(8), {.batch_size = 4, .drop_last = true});
  CHECK(epoch_of(exact) == counted(8));
  data::DataLoader empty(numbers(0), {.batch_size = 4});
  CHECK(epoch_of(empty).empty());
  CHECK(says(error_of([] { data::DataLoader(numbers(1), {.batch_size = 0}); }), "batch_size", "0"));
}

TEST_CASE("loader: epochs and sizes that can't be are refused") {
  for (const std::int64_t epoch : {std::int64_t{-1}, (std::int64_t{1} << 23) - 1, INT64_MAX}) {
    data::DataLoader loader(numbers(4), {.shuffle = true, .seed = 7});
    loader.set_epoch(epoch);
    CHECK(says(error_of([&] { epoch_of(loader); }), "epoch", std::to_string(epoch)));
  }
  data::DataLoader last(numbers(4), {.shuffle = true, .seed = 7});
  last.set_epoch((std::int64_t{1} << 23) - 2);
  CHECK(epoch_of(last).size() == 4);
  CHECK(says(error_of([] { data::SequentialSampler(-1); }), "size", "-1"));
  CHECK(says(error_of([] { data::random_parts(-1, {1}); }), "size", "-1"));
}

TEST_CASE("dataset: tensors stay side by side, and must be of one length") {
  const data::TensorDataset dataset(tl::arange(6).reshape({3, 2}), tl::tensor({10, 20, 30}));
  auto [x, y] = dataset.get(tl::tensor({2, 0}));
  CHECK(x.to_vector<std::int64_t>() == Order{4, 5, 0, 1});
  CHECK(y.to_vector<std::int64_t>() == Order{30, 10});
  CHECK(dataset.size() == 3);
  CHECK(says(error_of([] { data::TensorDataset(tl::ones({3}), tl::ones({2})); }), "TensorDataset",
             "(3,)", "(2,)"));
  CHECK(says(error_of([] { data::TensorDataset(tl::tensor(1)); }), "()"));
}

TEST_CASE("dataset: anything with size() and get(indices) can be loaded") {
  struct Squares {
    std::int64_t size() const { return 5; }
    tl::Tensor get(const tl::Tensor& indices) const { return indices * indices; }
  };
  data::DataLoader loader(data::Subset(Squares{}, tl::tensor({4, 2})), {.batch_size = 2});
  for (const tl::Tensor& batch : loader) CHECK(batch.to_vector<std::int64_t>() == Order{16, 4});
}
