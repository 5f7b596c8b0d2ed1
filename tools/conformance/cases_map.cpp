#include "case_builder.h"
#include "case_rows.h"
#include "cases.h"

namespace torchlight::test {

ParamSets param_sets(const Row& row, Dtype dtype) {
  const bool whole = !is_float(dtype);
  if (row.params == 0) return {{}};
  switch (row.fn) {
    case TL_MAP_fill:
      if (dtype == Dtype::boolean) return {{1}, {0}};
      return whole ? ParamSets{{-3}, {0}, {0x1p53}}
                   : ParamSets{{2.7}, {0}, {-1e-45}, {HUGE_VAL}, {NAN}};
    case TL_MAP_arange:
      if (whole) return {{-3, 2}, {0, 1}, {5, 0}, {0x1p40, -0x1p30}};
      return {{0, 1}, {0.3, 0.1}, {-1, 0.25}, {1e6, -1e3}};
    case TL_MAP_eye: return {{0}, {1}, {-2}, {100}};
    case TL_MAP_leaky_relu: return {{0.01}, {-2}, {0}};
    case TL_MAP_softplus: return {{1, 20}, {0.5, 20}, {3, 5}, {1, 1000}};
    case TL_MAP_clamp: return {{-1, 2}, {2, -1}, {0, 0}};
    case TL_MAP_pow_scalar:
      if (whole) return {{2}, {3}, {0}, {1}, {-1}, {-2}, {63}};
      return {{2}, {3}, {0.5}, {0}, {1}, {-1}, {-2.5}, {-0.5}, {1.0 / 3}, {7}, {31}, {1e3}};
    case TL_MAP_rpow_scalar: return {{2}, {0.5}, {10}, {0}, {1}, {-2}};
    default: return whole ? ParamSets{{1}, {0}} : ParamSets{{0.7}, {0}, {-1e3}, {HUGE_VAL}};
  }
}

namespace {

class MapCases {
 public:
  explicit MapCases(std::vector<Case>& list) : list_(list) {}

  void row(const Row& row) {
    row_ = &row;
    for (Dtype dtype : input_dtypes(row.domain)) {
      if (row.fn == TL_MAP_copy) {
        for (Dtype to : all_dtypes) of_dtypes(dtype, to);
      } else {
        of_dtypes(dtype, output_dtype(row.domain, dtype));
      }
    }
  }

 private:
  bool creates() const { return row_->domain == "create"; }

  void of_dtypes(Dtype in, Dtype out) {
    in_ = in, out_ = out;
    const ParamSets sets = param_sets(*row_, in);
    params_ = sets[0];
    if (row_->fn != TL_MAP_eye) lines();
    shapes();
    layouts();
    for (Fill fill : {Fill::special, Fill::bits, Fill::convertible}) {
      if (!creates()) add(arrange({515}), arrange({515}), fill, "");
    }
    const Shape large = row_->fn == TL_MAP_eye ? Shape{267, 263} : Shape{long_line};
    add(arrange(large), arrange(large), Fill::typical, "");
    for (std::size_t i = 1; i < sets.size(); ++i) {
      params_ = sets[i];
      const Shape shape = {6, 43};
      for (Fill fill : {Fill::typical, Fill::special, Fill::integers}) {
        if (creates() && fill != Fill::typical) continue;
        add(arrange(shape), arrange(shape), fill, "params" + std::to_string(i));
      }
    }
  }

  void lines() {
    for (std::int64_t n : line_lengths()) add(arrange({n}), arrange({n}), Fill::typical, "");
  }

  void shapes() {
    for (const Shape& shape : odd_shapes()) {
      if (row_->fn == TL_MAP_eye && shape.size() < 2) continue;
      add(arrange(shape), arrange(shape), Fill::typical, "contiguous");
      add(arrange(shape, Arrangement::mixed, 1), arrange(shape, Arrangement::mixed, 2), Fill::typical,
          "mixed");
    }
  }

  void layouts() {
    for (const Shape& shape : {Shape{33, 65}, Shape{5, 6, 7}}) {
      for (Arrangement a : dense_arrangements) {
        add(arrange(shape, a), arrange(shape), Fill::typical, std::string("from_") + name(a));
        add(arrange(shape), arrange(shape, a), Fill::typical, std::string("to_") + name(a));
        add(arrange(shape, a), arrange(shape, a), Fill::typical, std::string("both_") + name(a));
      }
      for (Arrangement a : broadcast_arrangements) {
        if (!creates())
          add(arrange(shape, a), arrange(shape), Fill::typical, std::string("from_") + name(a));
      }
    }
  }

  void add(const Layout& from, const Layout& to, Fill fill, const std::string& how) {
    Case c;
    c.op = Op::map, c.fn = row_->fn, c.params = params_;
    c.operands = {creates() ? absent() : Operand{in_, from, {fill}}, {out_, to}};
    c.name = path("map", row_->name, name(in_));
    if (row_->fn == TL_MAP_copy) c.name = path(c.name, name(out_));
    c.name = path(c.name, text(to.extent));
    if (!creates()) c.name = path(c.name, name(fill));
    if (!how.empty()) c.name = path(c.name, how);
    c.seed = list_.size();
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  const Row* row_ = nullptr;
  Dtype in_{}, out_{};
  std::vector<double> params_;
};

}  // namespace

std::vector<Case> map_cases() {
  std::vector<Case> list;
  for (const Row& row : rows()) {
    if (row.op == Op::map) MapCases(list).row(row);
  }
  return list;
}

}  // namespace torchlight::test
