#include "case_builder.h"
#include "case_rows.h"
#include "cases.h"

namespace torchlight::test {

bool needs_elements(std::uint32_t fn) {
  return fn == TL_REDUCE_max || fn == TL_REDUCE_min || fn == TL_REDUCE_argmax || fn == TL_REDUCE_argmin;
}

Fill easy_reduce_fill(std::uint32_t fn) {
  return fn == TL_REDUCE_prod ? Fill::near_one : Fill::typical;
}

Shape reduced(const Shape& shape, std::uint32_t mask) {
  Shape kept = shape;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (mask >> k & 1) kept[k] = 1;
  }
  return kept;
}

namespace {

std::vector<Fill> hard_fills(std::uint32_t fn) {
  switch (fn) {
    case TL_REDUCE_sum:
      return {Fill::tame, Fill::cancelling, Fill::integers, Fill::one_nan, Fill::large_mean};
    case TL_REDUCE_prod: return {Fill::one_nan, Fill::integers};
    case TL_REDUCE_any:
    case TL_REDUCE_all: return {Fill::constant, Fill::one_nan, Fill::special, Fill::positive};
    default: return {Fill::special, Fill::bits, Fill::integers, Fill::one_nan, Fill::constant};
  }
}

class ReduceCases {
 public:
  explicit ReduceCases(std::vector<Case>& list) : list_(list) {}

  void row(const Row& row) {
    row_ = &row;
    for (Dtype dtype : input_dtypes(row.domain)) {
      dtype_ = dtype;
      const Fill easy = easy_reduce_fill(row.fn);
      for (std::int64_t n : line_lengths()) {
        add({n}, 1, easy);
        if (row.fn == TL_REDUCE_max || row.fn == TL_REDUCE_min) add({n}, 1, Fill::one_nan);
      }
      shapes(easy);
      layouts(easy);
      for (Fill fill : hard_fills(row.fn)) {
        for (std::uint32_t mask = 0; mask < 4; ++mask) add({23, 71}, mask, fill);
      }
      long_ones(row.fn == TL_REDUCE_prod ? Fill::constant : easy);
    }
  }

 private:
  void shapes(Fill fill) {
    for (const Shape& shape : odd_shapes()) {
      const auto all = (1u << shape.size()) - 1;
      for (std::uint32_t mask : {0u, 1u, 2u, 0x4u, 0x55u, 0xaau, 0xffu}) {
        add(shape, mask & all, fill);
        add(shape, mask & all, fill, Arrangement::mixed, Arrangement::mixed);
      }
    }
    for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}}) {
      for (std::uint32_t mask = 0; mask < 4; ++mask) add(shape, mask, fill);
    }
  }

  void layouts(Fill fill) {
    for (std::uint32_t mask = 0; mask < 8; ++mask) {
      for (Arrangement a : dense_arrangements) {
        add({5, 6, 7}, mask, fill, a);
        add({5, 6, 7}, mask, fill, {}, a);
      }
      for (Arrangement a : broadcast_arrangements) add({5, 6, 7}, mask, fill, a, Arrangement::mixed);
      add({17, 35, 9}, mask, fill);
    }
    for (const Shape& shape : {Shape{130, 9}, Shape{9, 130}, Shape{1025, 3}, Shape{3, 1025}}) {
      for (std::uint32_t mask = 1; mask < 4; ++mask) {
        add(shape, mask, fill);
        add(shape, mask, fill, Arrangement::transposed);
      }
    }
  }

  void long_ones(Fill fill) {
    add({long_line}, 1, fill);
    add({300, 257}, 1, fill);
    add({300, 257}, 2, fill);
    add({300, 257}, 3, fill, Arrangement::transposed);
    add({40, 50, 43}, 2, fill);
    add({40, 50, 43}, 5, fill);
  }

  void add(const Shape& shape, std::uint32_t mask, Fill fill, Arrangement from = {},
           Arrangement to = {}) {
    const Shape kept = reduced(shape, mask);
    if (needs_elements(row_->fn) && count(shape) == 0 && count(kept) != 0) return;  // the core's error
    if (fill == Fill::one_nan && (!is_float(dtype_) || count(shape) == 0)) return;
    Case c;
    c.op = Op::reduce, c.fn = row_->fn, c.axis_mask = mask, c.seed = list_.size();
    c.operands = {
        laid(dtype_, shape, from, {fill, fill == Fill::large_mean ? 1000 : Real(list_.size() % 2)}, 5),
        laid(output_dtype(row_->domain, dtype_), kept, to, {}, 6)};
    if (fill == Fill::constant && row_->fn == TL_REDUCE_prod) c.operands[0].values.a = 1;
    c.name = path("reduce", row_->name, name(dtype_), text(shape), "mask=" + std::to_string(mask),
                  name(fill), std::string("from=") + name(from), std::string("to=") + name(to));
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  const Row* row_ = nullptr;
  Dtype dtype_{};
};

}  // namespace

std::vector<Case> reduce_cases() {
  std::vector<Case> list;
  for (const Row& row : rows()) {
    if (row.op == Op::reduce) ReduceCases(list).row(row);
  }
  return list;
}

}  // namespace torchlight::test
