#pragma once

#include <cstdint>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight {

/// Restarts the process's generator. The same seed gives the same numbers on every device (Philox,
/// counter-based). Without it the sequence starts from a fixed seed, too: runs are repeatable.
void manual_seed(std::uint64_t seed);

/// A stream of random numbers of its own: state is (seed, offset), both visible so that it can be saved.
struct Generator {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

/// The process's generator, used where none is given. Not for concurrent use.
Generator& default_generator();

Tensor rand(const Shape& shape, const Options& options = {},
            Generator* generator = nullptr);  ///< [0, 1)
Tensor randn(const Shape& shape, const Options& options = {},
             Generator* generator = nullptr);  ///< normal
Tensor uniform(const Shape& shape, double low, double high, const Options& options = {},
               Generator* generator = nullptr);
Tensor normal(const Shape& shape, double mean, double std, const Options& options = {},
              Generator* generator = nullptr);
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, const Options& options = {},
               Generator* generator = nullptr);  ///< int64 in [low, high), at most 2^53 different ones
/// 1 with probability p, else 0. float32 unless options say otherwise.
Tensor bernoulli(const Shape& shape, double p, const Options& options = {},
                 Generator* generator = nullptr);
/// The numbers 0 … n-1 in random order, int64. The order depends on the seed alone, not on the C++ library.
Tensor randperm(std::int64_t n, const Options& options = {}, Generator* generator = nullptr);

}  // namespace torchlight
#pragma GCC visibility pop
