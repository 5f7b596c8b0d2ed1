#include <algorithm>
#include <map>

#include <torchlight/data.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace data = torchlight::data;
using tl::test::error_of, tl::test::says;

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers numbers(const tl::Tensor& tensor) { return tensor.to_vector<std::int64_t>(); }

// That the parts hold each of 0 … count - 1 once, and how many each holds.
Numbers sizes_of_partition(const std::vector<tl::Tensor>& parts, std::int64_t count) {
  Numbers sizes, all;
  for (const tl::Tensor& part : parts) {
    sizes.push_back(part.numel());
    for (const std::int64_t i : numbers(part)) all.push_back(i);
  }
  std::sort(all.begin(), all.end());
  CHECK(all == numbers(tl::arange(static_cast<double>(count))));
  return sizes;
}

}  // namespace

TEST_CASE("random split: parts of the right sizes, each example in one, by the seed") {
  const auto parts = data::random_parts(103, {0.7, 0.2, 0.1}, 5);
  CHECK(sizes_of_partition(parts, 103) == Numbers{72, 21, 10});
  CHECK(numbers(data::random_parts(103, {0.7, 0.2, 0.1}, 5)[1]) == numbers(parts[1]));
  CHECK(numbers(data::random_parts(103, {0.7, 0.2, 0.1}, 6)[1]) != numbers(parts[1]));
  CHECK(numbers(parts[0]) != numbers(tl::arange(72)));
}

TEST_CASE("stratified split: every part has every class in proportion") {
  Numbers labels;
  for (int i = 0; i < 100; ++i) labels.push_back(i < 60 ? 3 : i < 90 ? -1 : 8);
  const auto parts = data::stratified_parts(tl::tensor(labels), {0.8, 0.2}, 1);
  CHECK(sizes_of_partition(parts, 100) == Numbers{80, 20});
  std::map<std::int64_t, int> counts;
  for (const std::int64_t i : numbers(parts[1])) ++counts[labels[static_cast<std::size_t>(i)]];
  CHECK(counts == std::map<std::int64_t, int>{{3, 12}, {-1, 6}, {8, 2}});
}

TEST_CASE("split: subsets show their part of the dataset") {
  const data::TensorDataset dataset(tl::arange(10) * 10, tl::arange(10));
  const auto halves = data::random_split(dataset, {0.5, 0.5}, 2);
  CHECK(halves[0].size() == 5);
  const auto [tens, ones] = halves[1].get(tl::tensor({4, 0}));
  CHECK(numbers(tens) == numbers(ones * 10));
  CHECK(ones[0].item<std::int64_t>() == halves[1].indices()[4].item<std::int64_t>());
  CHECK(
      data::stratified_split(dataset, tl::zeros({10}, {.dtype = tl::int64}), {0.9, 0.1}, 2)[1].size() ==
      1);
}

TEST_CASE("split: bad fractions and labels are refused") {
  CHECK(says(error_of([] { data::random_parts(10, {0.5, 0.4}); }), "0.9", "1"));
  CHECK(says(error_of([] { data::random_parts(10, {1.5, -0.5}); }), "-0.5"));
  CHECK(says(error_of([] { data::stratified_parts(tl::ones({3}), {1}); }), "float32"));
  CHECK(says(error_of([] { data::stratified_parts(tl::tensor({{1}}), {1}); }), "(1, 1)"));
}
