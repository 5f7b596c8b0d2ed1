#include <algorithm>

#include "case_builder.h"
#include "case_rows.h"
#include "cases.h"
#include "rng.h"

namespace torchlight::test {
namespace {

constexpr std::int64_t most_elements = 3000;

class RandomCase {
 public:
  explicit RandomCase(std::uint64_t seed) : rng_(seed) {
    rng_.next();
    case_.seed = seed;
  }

  template <class List> auto pick(const List& list) { return list[rng_.below(list.size())]; }

  Case make() {
    constexpr std::array ops = {Op::map,
                                Op::map,
                                Op::zip,
                                Op::zip,
                                Op::reduce,
                                Op::reduce,
                                Op::matmul,
                                Op::attn_softmax_fw,
                                Op::attn_softmax_bw,
                                Op::layernorm_fw,
                                Op::layernorm_bw};
    case_.op = pick(ops);
    switch (case_.op) {
      case Op::map: map(); break;
      case Op::zip: zip(); break;
      case Op::reduce: reduce(); break;
      case Op::matmul: matmul(); break;
      case Op::attn_softmax_fw: softmax_fw(); break;
      case Op::attn_softmax_bw: softmax_bw(); break;
      default: layernorm(); break;
    }
    case_.name = path("random_case", name(case_.op), "seed=" + std::to_string(case_.seed));
    return std::move(case_);
  }

 private:
  Shape shape(std::size_t least_rank, std::size_t most_rank) {
    Shape result(least_rank + rng_.below(most_rank - least_rank + 1));
    for (std::int64_t& n : result) {
      n = rng_.chance(0.03)   ? 0
          : rng_.chance(0.25) ? 1
          : rng_.chance(0.2)  ? rng_.between(2, 70)
                              : rng_.between(2, 6);
    }
    // An extent of 0 doesn't bound the others: an operand of matmul has another in its place.
    const auto elements = [&] {
      std::int64_t product = 1;
      for (const std::int64_t n : result) product *= std::max<std::int64_t>(n, 1);
      return product;
    };
    while (elements() > most_elements) {
      auto largest = std::max_element(result.begin(), result.end());
      *largest = (*largest + 1) / 2;
    }
    return result;
  }

  Operand input(Dtype dtype, const Shape& shape, Fill fill) {
    const bool repeat = rng_.chance(0.25);
    const Arrangement a = repeat             ? pick(broadcast_arrangements)
                          : rng_.chance(0.5) ? Arrangement::mixed
                                             : pick(dense_arrangements);
    return laid(dtype, shape, a, {fill}, rng_.next());
  }
  Operand output(Dtype dtype, const Shape& shape) {
    return laid(dtype, shape, rng_.chance(0.5) ? Arrangement::mixed : pick(dense_arrangements), {},
                rng_.next());
  }
  Operand perhaps(Operand operand) { return rng_.chance(0.6) ? operand : absent(); }
  Dtype real() { return rng_.chance(0.5) ? Dtype::float32 : Dtype::float64; }

  const Row& random_row() {
    for (;;) {
      const Row& row = rows()[rng_.below(rows().size())];
      if (row.op == case_.op) return row;
    }
  }
  /// Mostly one that the row is for.
  Dtype dtype_for(const Row& row) {
    if (rng_.chance(0.9)) return pick(input_dtypes(row.domain));
    const Dtype dtype = pick(all_dtypes);
    const auto meant = input_dtypes(row.domain);
    if (std::find(meant.begin(), meant.end(), dtype) == meant.end()) case_.demand = Demand::undefined;
    return dtype;
  }
  void start(const Row& row) { case_.fn = row.fn; }

  void map() {
    const Row& row = random_row();
    start(row);
    const Dtype dtype = dtype_for(row);
    const Shape extents = shape(row.fn == TL_MAP_eye ? 2 : 0, TL_MAX_RANK);
    const Dtype to = row.fn == TL_MAP_copy ? pick(all_dtypes) : output_dtype(row.domain, dtype);
    const Fill fill = pick(std::array{Fill::typical, Fill::special, Fill::bits, Fill::convertible});
    case_.params = pick(param_sets(row, dtype));
    case_.operands = {row.domain == "create" ? absent() : input(dtype, extents, fill),
                      output(to, extents)};
  }

  void zip() {
    const Row& row = random_row();
    start(row);
    const Dtype dtype = dtype_for(row);
    const Shape extents = shape(0, TL_MAX_RANK);
    const ZipFills fills = easy_zip_fills(row);
    const Dtype first = row.domain == "select" ? Dtype::boolean : dtype;
    case_.params = zip_params(row, dtype);
    case_.operands = {input(first, extents, fills.x), input(dtype, extents, fills.y),
                      row.inputs == 3 ? input(dtype, extents, fills.z) : absent(),
                      output(output_dtype(row.domain, dtype), extents)};
  }

  void reduce() {
    const Row& row = random_row();
    start(row);
    const Dtype dtype = dtype_for(row);
    const Shape extents = shape(0, TL_MAX_RANK);
    case_.axis_mask = static_cast<std::uint32_t>(rng_.below(std::uint64_t{1} << extents.size()));
    Shape kept = reduced(extents, case_.axis_mask);
    if (needs_elements(row.fn) && count(extents) == 0 && count(kept) != 0) {
      case_.axis_mask = 0;
      kept = extents;
    }
    case_.operands = {input(dtype, extents, easy_reduce_fill(row.fn)),
                      output(output_dtype(row.domain, dtype), kept)};
  }

  void matmul() {
    const Dtype dtype = rng_.chance(0.8) ? real() : pick(std::array{Dtype::float16, Dtype::bfloat16});
    const Dtype to =
        is_float(dtype) && size_of(dtype) == 2 && rng_.chance(0.5) ? Dtype::float32 : dtype;
    Shape out = shape(2, TL_MAX_RANK);
    const std::size_t rank = out.size();
    Shape a = out, b = out;
    a[rank - 1] = b[rank - 2] = rng_.between(0, 40);
    if (rng_.chance(0.3)) case_.alpha = rng_.uniform(-2, 2);
    if (rng_.chance(0.3)) case_.beta = rng_.uniform(-2, 2);
    constexpr std::array<std::uint32_t, 3> activations = {TL_MAP_relu, TL_MAP_tanh, TL_MAP_sigmoid};
    if (rng_.chance(0.2)) case_.activation = pick(activations);
    case_.operands = {input(dtype, a, Fill::unit), input(dtype, b, Fill::unit),
                      perhaps(input(to, out, Fill::unit)), output(to, out)};
    case_.operands[3].values = {Fill::unit};
  }

  void softmax_fw() {
    const Dtype dtype = real();
    const Shape extents = shape(1, TL_MAX_RANK);
    case_.scale = rng_.chance(0.5) ? 1 : rng_.uniform(-1, 1);
    case_.causal = rng_.chance(0.3);
    case_.causal_offset = rng_.between(-3, 5);
    const Fill mask = rng_.chance(0.5) ? Fill::mask : Fill::typical;
    case_.operands = {
        input(dtype, extents, pick(std::array{Fill::typical, Fill::mask, Fill::moderate})),
        perhaps(input(dtype, extents, mask)), output(dtype, extents)};
  }

  void softmax_bw() {
    const Dtype dtype = real();
    const Shape extents = shape(1, TL_MAX_RANK);
    case_.scale = rng_.chance(0.5) ? 1 : rng_.uniform(-1, 1);
    case_.operands = {input(dtype, extents, Fill::typical), input(dtype, extents, Fill::probability),
                      output(dtype, extents)};
  }

  void layernorm() {
    const Dtype dtype = real();
    Shape extents = shape(1, TL_MAX_RANK);
    case_.normalized = static_cast<std::uint32_t>(1 + rng_.below(extents.size()));
    const auto split = extents.end() - case_.normalized;
    std::replace(split, extents.end(), std::int64_t{0}, std::int64_t{1});
    const Shape outer(extents.begin(), split), inner(split, extents.end());
    const Operand x = input(dtype, extents, Fill::typical);
    const Operand gamma = perhaps(input(dtype, inner, Fill::typical));
    if (case_.op == Op::layernorm_fw) {
      case_.operands = {x,
                        gamma,
                        perhaps(input(dtype, inner, Fill::typical)),
                        output(dtype, extents),
                        perhaps(output(dtype, outer)),
                        perhaps(output(dtype, outer))};
    } else {
      case_.operands = {input(dtype, extents, Fill::typical),
                        x,
                        gamma,
                        perhaps(output(dtype, outer)),
                        perhaps(output(dtype, outer)),
                        perhaps(output(dtype, extents)),
                        perhaps(output(dtype, inner)),
                        perhaps(output(dtype, inner))};
      case_.operands[3].values = {Fill::mean_of_input};
      case_.operands[4].values = {Fill::rstd_of_input};
    }
  }

  Rng rng_;
  Case case_;
};

}  // namespace

Case random_case(std::uint64_t seed) { return RandomCase(seed).make(); }

}  // namespace torchlight::test
