#include <torchlight/data/sampler.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::data {
namespace {

Options on_host(Dtype dtype) { return {.dtype = dtype, .device = "cpu"}; }

std::uint64_t seed_or_default(std::optional<std::uint64_t> seed) {
  return seed.value_or(default_generator().seed);
}

// Each epoch has a stretch of the seed's stream to itself; the first one is default_generator()'s.
Generator stream_of(std::uint64_t seed, std::int64_t epoch) {
  constexpr std::int64_t last = (std::int64_t{1} << 23) - 2;
  if (epoch < 0 || epoch > last)
    throw Error(text("sampler: epoch ", epoch, " must be from 0 to ", last));
  return {.seed = seed, .offset = static_cast<std::uint64_t>(epoch + 1) << 40};
}

std::int64_t not_negative(const char* what, std::int64_t value) {
  if (value < 0) throw Error(text(what, " is ", value, "; it can't be negative"));
  return value;
}

}  // namespace

SequentialSampler::SequentialSampler(std::int64_t size)
    : size_(not_negative("SequentialSampler: size", size)) {}

Tensor SequentialSampler::order(std::int64_t) const {
  return arange(static_cast<double>(size_), on_host(int64));
}

RandomSampler::RandomSampler(std::int64_t size, RandomSamplerOptions options)
    : size_(not_negative("RandomSampler: size", size)),
      samples_(not_negative("RandomSampler: num_samples", options.num_samples.value_or(size))),
      replacement_(options.replacement),
      seed_(seed_or_default(options.seed)) {
  if (samples_ > size && (!replacement_ || size == 0))
    throw Error(text("RandomSampler: ", samples_, " samples of ", size, " examples",
                     size == 0 ? "" : " want replacement"));
}

Tensor RandomSampler::order(std::int64_t epoch) const {
  Generator generator = stream_of(seed_, epoch);
  if (replacement_ && samples_ > 0) return randint(0, size_, {samples_}, on_host(int64), &generator);
  const Tensor all = randperm(size_, on_host(int64), &generator);
  return samples_ == size_ ? all : all.slice(0, 0, samples_);
}

WeightedRandomSampler::WeightedRandomSampler(const Tensor& weights, std::int64_t num_samples,
                                             WeightedRandomSamplerOptions options)
    : samples_(not_negative("WeightedRandomSampler: num_samples", num_samples)),
      replacement_(options.replacement),
      seed_(seed_or_default(options.seed)) {
  if (weights.dim() != 1)
    throw Error(text("WeightedRandomSampler: weights must be (n), not ", weights.shape().str()));
  weights_ = weights.to(float64).to_vector<double>();
  std::int64_t possible = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!(weights_[i] >= 0) || std::isinf(weights_[i]))
      throw Error(text("WeightedRandomSampler: weight ", i, " is ", weights_[i],
                       "; it must be finite and at least 0"));
    possible += weights_[i] > 0;
  }
  if (std::isinf(std::accumulate(weights_.begin(), weights_.end(), 0.0)))
    throw Error("WeightedRandomSampler: the sum of the weights is infinite");
  if (samples_ > 0 && possible == 0) throw Error("WeightedRandomSampler: every weight is 0");
  if (!replacement_ && samples_ > possible)
    throw Error(text("WeightedRandomSampler: ", samples_, " samples of ", possible,
                     " examples with a weight want replacement"));
}

Tensor WeightedRandomSampler::order(std::int64_t epoch) const {
  Generator generator = stream_of(seed_, epoch);
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(samples_));
  if (replacement_) {
    std::vector<double> ends(weights_.size());
    std::partial_sum(weights_.begin(), weights_.end(), ends.begin());
    const auto draws = rand({samples_}, on_host(float64), &generator).to_vector<double>();
    for (std::size_t i = 0; i < draws.size(); ++i) {
      // The first that ends beyond the draw: never one of weight 0. Rounding may bring the draw to the end.
      const double draw = std::min(draws[i] * ends.back(), std::nextafter(ends.back(), 0.0));
      chosen[i] = std::upper_bound(ends.begin(), ends.end(), draw) - ends.begin();
    }
    return tensor(chosen, on_host(int64));
  }
  // The smallest of exponential waiting times with these rates come first. Efraimidis and Spirakis, 2006.
  const auto size = static_cast<std::int64_t>(weights_.size());
  std::vector<double> wait = rand({size}, on_host(float64), &generator).to_vector<double>();
  for (std::size_t i = 0; i < wait.size(); ++i)
    wait[i] =
        weights_[i] > 0 ? -std::log1p(-wait[i]) / weights_[i] : std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> order(wait.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return wait[static_cast<std::size_t>(a)] < wait[static_cast<std::size_t>(b)];
  });
  std::copy_n(order.begin(), chosen.size(), chosen.begin());
  return tensor(chosen, on_host(int64));
}

}  // namespace torchlight::data
