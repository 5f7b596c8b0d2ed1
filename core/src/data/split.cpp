#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <torchlight/data/dataset.h>

#include "support/text.h"

namespace torchlight::data {
namespace {

Options on_host() { return {.device = "cpu"}; }

void check_fractions(const std::vector<double>& fractions) {
  double sum = 0;
  for (const double fraction : fractions) {
    if (!(fraction >= 0)) throw Error(text("split: the fraction ", fraction, " is negative or NaN"));
    sum += fraction;
  }
  if (std::abs(sum - 1) > 1e-9) throw Error(text("split: the fractions add up to ", sum, ", not to 1"));
}

// The part that the k-th of n examples belongs to, when each part ends at its share of n, rounded.
std::size_t part_of(std::int64_t k, std::int64_t n, const std::vector<double>& fractions) {
  double end = 0;
  for (std::size_t part = 0; part + 1 < fractions.size(); ++part) {
    end += fractions[part];
    if (k < std::llround(end * static_cast<double>(n))) return part;
  }
  return fractions.size() - 1;
}

std::vector<Tensor> parts_by_class(const std::vector<std::int64_t>& labels,
                                   const std::vector<double>& fractions,
                                   std::optional<std::uint64_t> seed) {
  check_fractions(fractions);
  // Far from what default_generator() uses of the same seed, and from the orders of epochs.
  Generator generator{.seed = seed.value_or(default_generator().seed),
                      .offset = std::uint64_t{1} << 63};
  const auto size = static_cast<std::int64_t>(labels.size());
  const Tensor order = randperm(size, on_host(), &generator);

  std::unordered_map<std::int64_t, std::int64_t> class_sizes, class_seen;
  for (const std::int64_t label : labels) ++class_sizes[label];
  std::vector<std::vector<std::int64_t>> parts(fractions.size());
  for (const std::int64_t i : order.to_vector<std::int64_t>()) {
    const std::int64_t label = labels[static_cast<std::size_t>(i)];
    parts[part_of(class_seen[label]++, class_sizes[label], fractions)].push_back(i);
  }
  std::vector<Tensor> tensors;
  for (const auto& part : parts) tensors.push_back(tensor(part, on_host()));
  return tensors;
}

}  // namespace

std::vector<Tensor> random_parts(std::int64_t size, const std::vector<double>& fractions,
                                 std::optional<std::uint64_t> seed) {
  if (size < 0) throw Error(text("split: the size is ", size, "; it must be at least 0"));
  const std::vector<std::int64_t> one_class(static_cast<std::size_t>(size));
  return parts_by_class(one_class, fractions, seed);
}

std::vector<Tensor> stratified_parts(const Tensor& labels, const std::vector<double>& fractions,
                                     std::optional<std::uint64_t> seed) {
  if (labels.dim() != 1 || is_floating(labels.dtype()))
    throw Error(text("stratified split: labels must be integers (n), not ", name_of(labels.dtype()),
                     " ", labels.shape().str()));
  return parts_by_class(labels.to_vector<std::int64_t>(), fractions, seed);
}

}  // namespace torchlight::data
