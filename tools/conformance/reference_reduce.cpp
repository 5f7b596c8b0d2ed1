#include <algorithm>

#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

/// All elements that fall into one element of the output, in row-major order.
using Group = std::vector<Real>;

/// Any order of adding; blocked or pairwise, so that the error does not grow with the length.
Scalar sum(Dtype dtype, const Group& group) {
  if (!is_float(dtype)) {
    std::int64_t total = 0;
    for (Real x : group) total = add(total, static_cast<std::int64_t>(x));
    return exactly(static_cast<Real>(total));
  }
  Real total = 0, sizes = 0;
  for (Real x : group) total += x, sizes += std::fabs(x);
  return {total, group.size() < 2 ? 0 : 8 * epsilon(dtype) * sizes};
}

/// Any order of multiplying: one rounding for each factor.
Scalar product(Dtype dtype, const Group& group) {
  if (!is_float(dtype)) {
    std::int64_t total = 1;
    for (Real x : group) total = multiply(total, static_cast<std::int64_t>(x));
    return exactly(static_cast<Real>(total));
  }
  Real total = 1;
  for (Real x : group) total *= x;
  return {total, static_cast<Real>(group.size()) * spacing(dtype, round_to(dtype, total))};
}

template <class Better> std::size_t first_best(const Group& group, Better&& better) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < group.size() && !std::isnan(group[best]); ++i) {
    if (std::isnan(group[i]) || better(group[i], group[best])) best = i;
  }
  return best;
}

Scalar reduce_group(std::uint32_t fn, Dtype dtype, const Group& group) {
  const auto larger = [](Real x, Real y) { return x > y; };
  const auto smaller = [](Real x, Real y) { return x < y; };
  const auto set = [](Real x) { return x != 0; };
  switch (fn) {
    case TL_REDUCE_sum: return sum(dtype, group);
    case TL_REDUCE_prod: return product(dtype, group);
    case TL_REDUCE_max: return exactly(group.at(first_best(group, larger)));
    case TL_REDUCE_min: return exactly(group.at(first_best(group, smaller)));
    case TL_REDUCE_argmax: return exactly(static_cast<Real>(first_best(group, larger)));
    case TL_REDUCE_argmin: return exactly(static_cast<Real>(first_best(group, smaller)));
    case TL_REDUCE_any: return exactly(std::any_of(group.begin(), group.end(), set));
    case TL_REDUCE_all: return exactly(std::all_of(group.begin(), group.end(), set));
    default: no_reference("reduce", fn);
  }
}

/// `values` row by row along `axis`, each line changed by `f`.
template <class F> void along(const Shape& shape, std::uint32_t axis, F&& f) {
  Shape others = shape;
  others[axis] = 1;
  if (count(shape) == 0) return;
  Shape index(shape.size(), 0);
  do {
    std::vector<std::size_t> line;
    Shape at = index;
    for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis]) line.push_back(place(at, shape));
    f(line);
  } while (advance(index, others));
}

Scalar scan_step(std::uint32_t fn, Dtype dtype, const Group& so_far) {
  Scalar step = reduce_group(fn, dtype, so_far);
  if (fn == TL_REDUCE_sum) step.tolerance /= 2;  // compensated
  return step;
}

}  // namespace

Result reduce(std::uint32_t fn, const Array& input, std::uint32_t axis_mask) {
  Shape kept = input.shape;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (axis_mask >> k & 1) kept[k] = 1;
  }
  std::vector<Group> groups(static_cast<std::size_t>(count(kept)));
  if (!input.at.empty()) {
    Shape index(input.shape.size(), 0);
    std::size_t i = 0;
    do {
      Shape target = index;
      for (std::size_t k = 0; k < kept.size(); ++k) {
        if (kept[k] == 1) target[k] = 0;
      }
      groups[place(target, kept)].push_back(input.at[i++]);
    } while (advance(index, input.shape));
  }
  const bool is_position = fn == TL_REDUCE_argmax || fn == TL_REDUCE_argmin;
  const bool is_truth = fn == TL_REDUCE_any || fn == TL_REDUCE_all;
  Result result(is_position ? Dtype::int64 : is_truth ? Dtype::boolean : input.dtype, kept);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Scalar r = reduce_group(fn, input.dtype, groups[i]);
    result.set(i, r.value, r.tolerance);
  }
  return result;
}

Result scan(std::uint32_t fn, const Array& input, std::uint32_t axis, bool reverse) {
  Result result(input.dtype, input.shape);
  along(input.shape, axis, [&](std::vector<std::size_t>& line) {
    if (reverse) std::reverse(line.begin(), line.end());
    Group so_far;
    for (std::size_t at : line) {
      so_far.push_back(input.at[at]);
      const Scalar r = scan_step(fn, input.dtype, so_far);
      result.set(at, r.value, r.tolerance);
    }
  });
  return result;
}

}  // namespace torchlight::test::reference
