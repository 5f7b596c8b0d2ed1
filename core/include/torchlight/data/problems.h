#pragma once

#include <torchlight/data/dataset.h>

#pragma GCC visibility push(default)
/// Problems to try a network on: `count` points (count, 2) of float32 in the unit square, with labels 0 or 1,
/// int64 (count). The points depend on the seed alone, or on default_generator()'s if there is none.
namespace torchlight::data::problems {

using Problem = TensorDataset<2>;

Problem simple(std::int64_t count, std::optional<std::uint64_t> seed = {});  ///< 1 where x < 0.5
Problem diag(std::int64_t count, std::optional<std::uint64_t> seed = {});    ///< 1 where x + y < 0.5
Problem split(std::int64_t count,
              std::optional<std::uint64_t> seed = {});  ///< 1 where x < 0.2 or x > 0.8
Problem xor_(std::int64_t count,
             std::optional<std::uint64_t> seed = {});  ///< 1 where just one of x and y is below 0.5
Problem circle(std::int64_t count,
               std::optional<std::uint64_t> seed = {});  ///< 1 outside x² + y² = 0.1 around the middle
/// Two arms around the middle, the first half of the points on one, the others on the other.
Problem spiral(std::int64_t count);

/// One of them by name: "simple", "diag", "split", "xor", "circle", "spiral". Error listing them for another.
Problem by_name(std::string_view name, std::int64_t count, std::optional<std::uint64_t> seed = {});

}  // namespace torchlight::data::problems
#pragma GCC visibility pop
