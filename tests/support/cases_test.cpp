#include "cases.h"

#include <cmath>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "reference.h"
#include "stage.h"

using namespace torchlight::test;

TEST_CASE("cases: every row of ops.def has cases for each dtype of its domain") {
  std::map<std::pair<Op, std::uint32_t>, std::set<Dtype>> seen;
  for (Op op : {Op::map, Op::zip, Op::reduce}) {
    for (const Case& c : cases(op)) {
      const Operand& last_input = c.operands[op == Op::zip ? 1 : 0];
      seen[{op, c.fn}].insert(last_input.present ? last_input.dtype : c.operands.back().dtype);
    }
  }
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    const auto dtypes = input_dtypes(row.domain);
    CHECK(seen[{row.op, row.fn}] == std::set<Dtype>(dtypes.begin(), dtypes.end()));
  }
}

TEST_CASE("cases: names are unique") {
  std::set<std::string> names;
  for (Op op : all_ops) {
    std::size_t repeated = 0;
    for (const Case& c : cases(op)) repeated += !names.insert(c.name).second;
    CAPTURE(name(op));
    CHECK(repeated == 0);
  }
}

TEST_CASE("cases: they hold what they should: ranks 0 to 8, nothing, repeated and reversed elements") {
  bool rank0 = false, rank8 = false, empty = false, repeated = false, reversed = false, odd = false;
  for (const Case& c : cases(Op::map)) {
    const Layout& layout = c.operands.back().layout;
    const Layout& from = c.operands.front().layout;
    rank0 |= layout.extent.empty();
    rank8 |= layout.extent.size() == 8;
    empty |= layout.span == 0;
    for (std::size_t k = 0; k < from.extent.size(); ++k) {
      repeated |= from.extent[k] > 1 && from.stride[k] == 0;
      reversed |= from.extent[k] > 1 && from.stride[k] < 0;
      odd |= from.extent[k] == 1 && from.stride[k] == std::int64_t{1} << 40;
    }
  }
  CHECK(rank0);
  CHECK(rank8);
  CHECK(empty);
  CHECK(repeated);
  CHECK(reversed);
  CHECK(odd);
}

TEST_CASE("cases: the reference knows each of them, and its bounds are finite") {
  for (Op op : all_ops) {
    std::set<std::uint32_t> tried;  // one of each row is enough here; the runner does them all
    for (const Case& c : cases(op)) {
      if (!tried.insert(c.fn * 16 + static_cast<std::uint32_t>(c.operands.back().dtype)).second &&
          op != Op::matmul)
        continue;
      CAPTURE(c.name);
      const auto results = reference::evaluate(c, make_arrays(c));
      for (const auto& r : results) {
        for (std::size_t i = 0; i < r.value.size(); ++i) {
          CHECK((r.tolerance[i] >= 0 || !std::isfinite(r.value[i])));
        }
      }
    }
  }
}

TEST_CASE("random cases: a seed gives the same case again, and other seeds others") {
  std::set<std::string> shapes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case a = random_case(seed), b = random_case(seed);
    CHECK(a.name == b.name);
    CHECK(a.operands.back().layout.stride == b.operands.back().layout.stride);
    CHECK(make_arrays(a).front().at.size() == make_arrays(b).front().at.size());
    shapes.insert(name(a.op) + text(a.operands.back().layout.extent));
  }
  CHECK(shapes.size() > 120);
}
