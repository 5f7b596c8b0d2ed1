#include <torchlight/ext/random.h>

#include "case_builder.h"
#include "cases.h"

namespace torchlight::test {
namespace {

class IndexCases {
 public:
  IndexCases(std::vector<Case>& list, Op op) : list_(list), op_(op) {}

  void all(Dtype dtype) {
    dtype_ = dtype;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      for (std::int64_t other : {1, 4, 9}) {
        for (Arrangement a : dense_arrangements) add({5, 7, 6}, axis, other, a, a, a);
        for (Arrangement a : broadcast_arrangements) {
          add({5, 7, 6}, axis, other, {}, a, {});
          add({5, 7, 6}, axis, other, op_ == Op::gather ? a : Arrangement::mixed, Arrangement::mixed,
              Arrangement::mixed);
        }
        rows_by_list({5, 7, 6}, axis, other);
      }
    }
    for (std::int64_t n : line_lengths()) add({n}, 0, 13, {}, {}, {});
    for (const Shape& shape : odd_shapes()) {
      for (std::uint32_t axis = 0; axis < shape.size(); ++axis) add(shape, axis, 3, {}, {}, {});
    }
    rows_by_list({300, 65}, 0, 50);
    rows_by_list({4000, 33}, 0, 7);
    add({300, 65}, 1, 40, {}, {}, {});
  }

 private:
  /// `shape` is the index's; the other side has the extent `other` on the axis.
  void add(const Shape& shape, std::uint32_t axis, std::int64_t other, Arrangement wide,
           Arrangement index, Arrangement narrow) {
    add_laid(shape, axis, other, wide, arrange(shape, index, 21), narrow, name(index));
  }

  /// The index has one value for each place along the axis.
  void rows_by_list(const Shape& shape, std::uint32_t axis, std::int64_t other) {
    Shape list(shape.size(), 1);
    list[axis] = shape[axis];
    add_laid(shape, axis, other, {}, broadcast(arrange(list), shape), {}, "list");
  }

  void add_laid(const Shape& shape, std::uint32_t axis, std::int64_t other, Arrangement wide,
                const Layout& index, Arrangement narrow, const char* how) {
    Shape other_shape = shape;
    other_shape[axis] = other;
    const Operand small = laid(dtype_, shape, narrow, {}, 22),
                  large = laid(dtype_, other_shape, wide, {}, 23);
    const Operand places{Dtype::int64, index, {Fill::index, static_cast<Real>(other)}};
    Case c;
    c.op = op_, c.axis = axis, c.seed = list_.size();
    c.operands =
        op_ == Op::gather ? std::vector{large, places, small} : std::vector{small, places, large};
    c.name = path(name(op_), name(dtype_), text(shape), "axis=" + std::to_string(axis),
                  "of=" + std::to_string(other), std::string("index=") + how,
                  std::string("wide=") + name(wide));
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  Op op_;
  Dtype dtype_{};
};

class ScanCases {
 public:
  explicit ScanCases(std::vector<Case>& list) : list_(list) {}

  void all(Dtype dtype, std::uint32_t fn) {
    dtype_ = dtype, fn_ = fn;
    const Fill easy = fn == TL_REDUCE_prod ? Fill::near_one : Fill::typical;
    for (bool reverse : {false, true}) {
      reverse_ = reverse;
      for (std::int64_t n : line_lengths()) add({n}, 0, easy);
      for (std::uint32_t axis = 0; axis < 3; ++axis) {
        for (Arrangement a : dense_arrangements) {
          add({5, 17, 6}, axis, easy, a, {});
          add({5, 17, 6}, axis, easy, {}, a);
        }
        for (Arrangement a : broadcast_arrangements) add({5, 17, 6}, axis, easy, a, Arrangement::mixed);
        add({2, 0, 3}, axis, easy);
      }
      add({2, 3, 1, 2, 1, 2, 1, 3}, 7, easy);
      if (is_float(dtype)) add({4, 33}, 1, Fill::one_nan);
      if (fn == TL_REDUCE_sum) add({999}, 0, Fill::cancelling), add({2000}, 0, Fill::large_mean);
    }
  }

 private:
  void add(const Shape& shape, std::uint32_t axis, Fill fill, Arrangement from = {},
           Arrangement to = {}) {
    Case c;
    c.op = Op::scan, c.fn = fn_, c.axis = axis, c.reverse = reverse_, c.seed = list_.size();
    c.operands = {laid(dtype_, shape, from, {fill, 0.1L}, 24), laid(dtype_, shape, to, {}, 25)};
    c.name = path("scan", find_row(Op::reduce, fn_)->name, name(dtype_), text(shape),
                  "axis=" + std::to_string(axis), name(fill), std::string("from=") + name(from),
                  std::string("to=") + name(to));
    if (reverse_) c.name = path(c.name, "reverse");
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  Dtype dtype_{};
  std::uint32_t fn_ = 0;
  bool reverse_ = false;
};

void add_random(std::vector<Case>& list, std::uint32_t distribution, const char* distribution_name,
                Dtype dtype, const std::vector<double>& params) {
  for (const Shape& shape :
       {Shape{}, Shape{0}, Shape{1}, Shape{2}, Shape{3}, Shape{4}, Shape{5}, Shape{7}, Shape{8},
        Shape{9}, Shape{31}, Shape{33}, Shape{1027}, Shape{5, 7, 11}, Shape{long_line}}) {
    for (auto [seed, offset] : {std::pair<std::uint64_t, std::uint64_t>{0, 0},
                                {42, 7},
                                {0xfedcba9876543210u, 0xfffffffdu},
                                {1, UINT64_MAX - 1}}) {
      if (count(shape) == long_line && seed != 42) continue;
      Case c;
      c.op = Op::random, c.fn = distribution, c.params = params, c.random_seed = seed,
      c.random_offset = offset;
      c.operands = {dense(dtype, shape)};
      c.name = path("random", distribution_name, name(dtype), text(shape),
                    "seed=" + std::to_string(seed), "offset=" + std::to_string(offset),
                    "a=" + std::to_string(params[0]) + ",b=" + std::to_string(params[1]));
      list.push_back(std::move(c));
    }
  }
}

}  // namespace

std::vector<Case> index_cases(Op op) {
  std::vector<Case> list;
  for (Dtype dtype : all_dtypes) {
    const bool adds = dtype == Dtype::float32 || dtype == Dtype::float64 || dtype == Dtype::int64;
    if (op == Op::gather || adds) IndexCases(list, op).all(dtype);
  }
  return list;
}

std::vector<Case> scan_cases() {
  std::vector<Case> list;
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int64}) {
    for (std::uint32_t fn : {TL_REDUCE_sum, TL_REDUCE_prod, TL_REDUCE_max, TL_REDUCE_min})
      ScanCases(list).all(dtype, fn);
  }
  return list;
}

std::vector<Case> random_number_cases() {
  std::vector<Case> list;
  for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
    for (const auto& params : {std::vector<double>{0, 1}, {-2.5, 7}}) {
      add_random(list, TL_RANDOM_UNIFORM, "uniform", dtype, params);
      add_random(list, TL_RANDOM_NORMAL, "normal", dtype, params);
    }
  }
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::boolean}) {
    add_random(list, TL_RANDOM_BERNOULLI, "bernoulli", dtype, {0.3, 0});
    add_random(list, TL_RANDOM_BERNOULLI, "bernoulli", dtype, {1, 0});
  }
  add_random(list, TL_RANDOM_INTEGER, "integer", Dtype::int64, {-5, 12});
  add_random(list, TL_RANDOM_INTEGER, "integer", Dtype::int64, {0, 0x1p53});
  return list;
}

}  // namespace torchlight::test
