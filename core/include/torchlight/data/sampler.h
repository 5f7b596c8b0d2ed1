#pragma once

#include <optional>

#include <torchlight/random.h>

#pragma GCC visibility push(default)
namespace torchlight::data {

/// Which examples an epoch takes, and in which order. The order depends on the sampler's arguments and the
/// epoch alone, so that a run can be resumed at any epoch. Random ones have epochs from 0 to 2^23 - 2.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::int64_t size() const = 0;               ///< examples in an epoch
  virtual Tensor order(std::int64_t epoch) const = 0;  ///< int64 (size()) on the host
};

/// 0, 1, … size - 1.
class SequentialSampler : public Sampler {
 public:
  explicit SequentialSampler(std::int64_t size);
  std::int64_t size() const override { return size_; }
  Tensor order(std::int64_t epoch) const override;

 private:
  std::int64_t size_;
};

struct RandomSamplerOptions {
  bool replacement = false;
  std::optional<std::int64_t> num_samples =
      {};                                  ///< the size if left out; more of them want replacement
  std::optional<std::uint64_t> seed = {};  ///< default_generator()'s if left out
};

/// Numbers below `size` at random: without replacement a new permutation each epoch, or its beginning.
class RandomSampler : public Sampler {
 public:
  explicit RandomSampler(std::int64_t size, RandomSamplerOptions options = {});
  std::int64_t size() const override { return samples_; }
  Tensor order(std::int64_t epoch) const override;

 private:
  std::int64_t size_, samples_;
  bool replacement_;
  std::uint64_t seed_;
};

struct WeightedRandomSamplerOptions {
  bool replacement = true;
  std::optional<std::uint64_t> seed = {};  ///< default_generator()'s if left out
};

/// Numbers at random, each in proportion to its weight: `weights` is (n) and real, none is negative or NaN, and
/// some aren't 0; as many of those as num_samples without replacement.
class WeightedRandomSampler : public Sampler {
 public:
  WeightedRandomSampler(const Tensor& weights, std::int64_t num_samples,
                        WeightedRandomSamplerOptions options = {});
  std::int64_t size() const override { return samples_; }
  Tensor order(std::int64_t epoch) const override;

 private:
  std::vector<double> weights_;
  std::int64_t samples_;
  bool replacement_;
  std::uint64_t seed_;
};

}  // namespace torchlight::data
#pragma GCC visibility pop
