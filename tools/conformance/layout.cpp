#include "layout.h"

#include <algorithm>
#include <numeric>

#include "rng.h"

namespace torchlight::test {
namespace {

/// What a layout is made of; one entry per axis.
struct Plan {
  std::vector<std::size_t> order;  ///< axes from the slowest to the fastest in memory
  Shape step;                      ///< elements of the memory per element seen
  Shape padding;                   ///< elements of the memory behind what is seen
  std::vector<bool> backwards, repeated;

  explicit Plan(std::size_t rank)
      : order(rank), step(rank, 1), padding(rank, 0), backwards(rank), repeated(rank) {
    std::iota(order.begin(), order.end(), std::size_t{0});
  }
};

void set_window(Layout& layout) {
  std::int64_t low = 0, high = 0;
  for (std::size_t k = 0; k < layout.extent.size(); ++k) {
    const std::int64_t reach = (layout.extent[k] - 1) * layout.stride[k];
    (reach < 0 ? low : high) += reach;
  }
  const bool empty = count(layout.extent) == 0;
  layout.first = empty ? 0 : -low;
  layout.span = empty ? 0 : high - low + 1;
}

Layout build(const Shape& shape, const Plan& plan) {
  Layout layout{shape, Shape(shape.size()), 0, 0};
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t k = plan.order[i];
    if (plan.repeated[k]) continue;
    layout.stride[k] = stride * plan.step[k] * (plan.backwards[k] ? -1 : 1);
    stride *= std::max<std::int64_t>(shape[k], 1) * plan.step[k] + plan.padding[k];
  }
  set_window(layout);
  return layout;
}

Plan mixed_plan(const Shape& shape, Rng& rng) {
  Plan plan(shape.size());
  for (std::size_t k = shape.size(); k-- > 1;) std::swap(plan.order[k], plan.order[rng.below(k + 1)]);
  int stepped = 0;  // few axes, or the window gets huge
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const bool step = rng.chance(0.3) && stepped++ < 3;
    plan.step[k] = step ? rng.between(2, 3) : 1;
    plan.padding[k] = rng.chance(0.2) ? rng.between(1, 5) : 0;
    plan.backwards[k] = rng.chance(0.3);
  }
  return plan;
}

Layout mixed(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  Layout layout = build(shape, mixed_plan(shape, rng));
  for (std::size_t k = 0; k < shape.size(); ++k) {
    constexpr std::array<std::int64_t, 4> odd = {0, -7, 1, std::int64_t{1} << 40};
    if (shape[k] == 1) layout.stride[k] = odd[rng.below(odd.size())];
  }
  return layout;
}

}  // namespace

std::int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string text(const Shape& shape) {
  std::string result;
  for (std::int64_t n : shape) result.append(result.empty() ? "" : "x").append(std::to_string(n));
  return result.empty() ? "scalar" : result;
}

bool advance(Shape& index, const Shape& shape) {
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (++index[k] < shape[k]) return true;
    index[k] = 0;
  }
  return false;
}

std::int64_t Layout::offset(const Shape& index) const {
  return std::inner_product(index.begin(), index.end(), stride.begin(), first);
}

const char* name(Arrangement arrangement) {
  constexpr std::array names = {"contiguous", "transposed", "stepped", "padded",     "reversed",
                                "mixed",      "one_value",  "one_row", "one_column", "every_second"};
  return names[static_cast<std::size_t>(arrangement)];
}

Layout arrange(const Shape& shape, Arrangement arrangement, std::uint64_t seed) {
  const std::size_t rank = shape.size();
  Plan plan(rank);
  switch (arrangement) {
    case Arrangement::contiguous: break;
    case Arrangement::transposed: std::reverse(plan.order.begin(), plan.order.end()); break;
    case Arrangement::stepped:
      for (std::size_t k = 0; k<rank; k += rank> 4 ? 3 : 1) {
        plan.step[k] = 2 + static_cast<std::int64_t>(k % 2);
      }
      break;
    case Arrangement::padded: plan.padding.assign(rank, rank > 4 ? 1 : 3); break;
    case Arrangement::reversed: plan.backwards.assign(rank, true); break;
    case Arrangement::mixed: return mixed(shape, seed);
    case Arrangement::one_value: plan.repeated.assign(rank, true); break;
    case Arrangement::one_row:
      for (std::size_t k = 0; k + 1 < rank; ++k) plan.repeated[k] = true;
      break;
    case Arrangement::one_column:
      if (rank) plan.repeated[rank - 1] = true;
      break;
    case Arrangement::every_second:
      for (std::size_t k = 0; k < rank; k += 2) plan.repeated[k] = true;
      break;
  }
  return build(shape, plan);
}

Layout transpose_last(const Shape& shape) {
  Plan plan(shape.size());
  std::swap(plan.order[shape.size() - 1], plan.order[shape.size() - 2]);
  return build(shape, plan);
}

Layout broadcast(const Layout& inner, const Shape& shape) {
  Layout layout{shape, Shape(shape.size(), 0), 0, 0};
  const std::size_t added = shape.size() - inner.extent.size();
  for (std::size_t k = 0; k < inner.extent.size(); ++k) {
    if (inner.extent[k] != 1) layout.stride[added + k] = inner.stride[k];
  }
  set_window(layout);
  return layout;
}

}  // namespace torchlight::test
