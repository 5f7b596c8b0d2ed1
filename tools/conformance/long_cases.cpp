#include <algorithm>
#include <cmath>

#include "case_builder.h"
#include "case_rows.h"
#include "cases.h"
#include "rng.h"

namespace torchlight::test {
namespace {

constexpr std::int64_t longest_row = 66'000, most_elements = 40'000;

/// One case of an operation whose rows have the wanted length; what else there is to choose is drawn.
class LongCase {
 public:
  LongCase(Op op, std::int64_t length, std::uint64_t seed) : rng_(seed), length_(length) {
    case_.op = op;
    case_.seed = seed;
  }

  Case make() {
    const std::int64_t fitting = std::max<std::int64_t>(most_elements / length_, 1);
    const Shape rows{rng_.between(1, std::min<std::int64_t>(fitting, 70)), length_};
    switch (case_.op) {
      case Op::map: map(); break;
      case Op::zip: zip(); break;
      case Op::reduce: reduce(rows); break;
      case Op::matmul: matmul(); break;
      case Op::attn_softmax_fw: case_.operands = {filled(rows), absent(), filled(rows)}; break;
      case Op::attn_softmax_bw:
        case_.operands = {filled(rows), filled(rows, Fill::probability), filled(rows)};
        break;
      default: layernorm(rows); break;
    }
    case_.name = path("long_case", name(case_.op), text(case_.operands.back().layout.extent),
                      "seed=" + std::to_string(case_.seed));
    return std::move(case_);
  }

 private:
  static Operand filled(const Shape& shape, Fill fill = Fill::typical) {
    return dense(Dtype::float32, shape, {fill});
  }
  /// A row of ops.def that is for float32.
  const Row& some_row() {
    for (;;) {
      const Row& row = rows()[rng_.below(rows().size())];
      const auto meant = input_dtypes(row.domain);
      const bool is_fit = std::find(meant.begin(), meant.end(), Dtype::float32) != meant.end();
      if (row.op == case_.op && is_fit && row.domain != "create" && row.domain != "select") return row;
    }
  }

  void map() {
    const Row& row = some_row();
    case_.fn = row.fn;
    case_.params = param_sets(row, Dtype::float32).front();
    const Dtype to = row.fn == TL_MAP_copy ? Dtype::float32 : output_dtype(row.domain, Dtype::float32);
    case_.operands = {filled({length_}), dense(to, {length_})};
  }
  void zip() {
    const Row& row = some_row();
    case_.fn = row.fn;
    case_.params = zip_params(row, Dtype::float32);
    const ZipFills fills = easy_zip_fills(row);
    case_.operands = {filled({length_}, fills.x), filled({length_}, fills.y),
                      row.inputs == 3 ? filled({length_}, fills.z) : absent(),
                      dense(output_dtype(row.domain, Dtype::float32), {length_})};
  }
  void reduce(const Shape& extents) {
    const Row& row = some_row();
    case_.fn = row.fn;
    case_.axis_mask = 2;
    case_.operands = {filled(extents, easy_reduce_fill(row.fn)),
                      dense(output_dtype(row.domain, Dtype::float32), reduced(extents, 2))};
  }
  /// One side has the length, as far as the others leave room for it.
  void matmul() {
    Shape mkn{rng_.between(1, 40), rng_.between(1, 40), rng_.between(1, 40)};
    mkn[rng_.below(3)] = std::min<std::int64_t>(length_, 700);
    case_.operands = {filled({mkn[0], mkn[1]}, Fill::unit), filled({mkn[1], mkn[2]}, Fill::unit),
                      absent(), filled({mkn[0], mkn[2]}, Fill::unit)};
  }
  void layernorm(const Shape& extents) {
    const Shape outer{extents[0]}, inner{extents[1]};
    if (case_.op == Op::layernorm_fw)
      case_.operands = {filled(extents), filled(inner), filled(inner),
                        filled(extents), filled(outer), filled(outer)};
    else
      case_.operands = {filled(extents),
                        filled(extents),
                        filled(inner),
                        filled(outer, Fill::mean_of_input),
                        filled(outer, Fill::rstd_of_input),
                        filled(extents),
                        filled(inner),
                        filled(inner)};
  }

  Rng rng_;
  std::int64_t length_;
  Case case_;
};

}  // namespace

std::vector<Case> long_cases(std::uint64_t seed, std::uint64_t drawn) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t power = 32; power <= 8192; power *= 2)
    for (const std::int64_t beside : {-1, 0, 1}) lengths.push_back(power + beside);
  Rng rng(seed);
  std::vector<Case> list;
  for (const Op op : {Op::map, Op::zip, Op::reduce, Op::matmul, Op::attn_softmax_fw,
                      Op::attn_softmax_bw, Op::layernorm_fw, Op::layernorm_bw}) {
    for (const std::int64_t length : lengths)
      list.push_back(LongCase(op, length, rng.next() >> 32).make());
    for (std::uint64_t i = 0; i < drawn; ++i) {
      const double length = std::exp(rng.uniform(0, std::log(static_cast<double>(longest_row))));
      list.push_back(LongCase(op, static_cast<std::int64_t>(length), rng.next() >> 32).make());
    }
  }
  return list;
}

}  // namespace torchlight::test
