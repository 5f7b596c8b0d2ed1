#include <torchlight/data/problems.h>

#include <cmath>

#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::data::problems {
namespace {

std::int64_t checked(std::int64_t count) {
  if (count < 0) throw Error(text("data::problems: count is ", count, "; it can't be negative"));
  return count;
}

// Points at random, with the labels that a rule gives them.
template <class Rule>
Problem labelled(std::int64_t count, std::optional<std::uint64_t> seed, const Rule& rule) {
  Generator own{.seed = seed.value_or(0)};
  const Tensor points = rand({checked(count), 2}, {}, seed ? &own : nullptr);
  return Problem(points, rule(points.select(1, 0), points.select(1, 1)).to(int64));
}

}  // namespace

Problem simple(std::int64_t count, std::optional<std::uint64_t> seed) {
  return labelled(count, seed, [](const Tensor& x, const Tensor&) { return x < 0.5; });
}

Problem diag(std::int64_t count, std::optional<std::uint64_t> seed) {
  return labelled(count, seed, [](const Tensor& x, const Tensor& y) { return x + y < 0.5; });
}

Problem split(std::int64_t count, std::optional<std::uint64_t> seed) {
  return labelled(count, seed,
                  [](const Tensor& x, const Tensor&) { return logical_or(x<0.2, x> 0.8); });
}

Problem xor_(std::int64_t count, std::optional<std::uint64_t> seed) {
  return labelled(count, seed, [](const Tensor& x, const Tensor& y) { return (x < 0.5) != (y < 0.5); });
}

Problem circle(std::int64_t count, std::optional<std::uint64_t> seed) {
  return labelled(count, seed, [](const Tensor& x, const Tensor& y) {
    return (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) > 0.1;
  });
}

Problem spiral(std::int64_t count) {
  std::vector<float> points;
  std::vector<std::int64_t> labels;
  const std::int64_t half = checked(count) / 2;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool second = i >= half;
    const std::int64_t place = second ? i - half : i, arm = second ? count - half : half;
    // t turns from the middle outwards; the second arm is the first one turned by half a circle.
    const double t = 10 * static_cast<double>(place) / static_cast<double>(arm);
    const double sign = second ? -1 : 1;
    points.push_back(static_cast<float>(0.5 + sign * t * std::cos(t) / 20));
    points.push_back(static_cast<float>(0.5 + sign * t * std::sin(t) / 20));
    labels.push_back(second);
  }
  return Problem(tensor(points, {.dtype = float32}).reshape({count, 2}),
                 tensor(labels, {.dtype = int64}));
}

Problem by_name(std::string_view name, std::int64_t count, std::optional<std::uint64_t> seed) {
  if (name == "simple") return simple(count, seed);
  if (name == "diag") return diag(count, seed);
  if (name == "split") return split(count, seed);
  if (name == "xor") return xor_(count, seed);
  if (name == "circle") return circle(count, seed);
  if (name == "spiral") return spiral(count);
  throw Error(text("data::problems: there is no \"", name,
                   "\", but simple, diag, split, xor, circle and spiral"));
}

}  // namespace torchlight::data::problems
