#include "case_builder.h"
#include "case_rows.h"
#include "cases.h"

namespace torchlight::test {

std::vector<double> zip_params(const Row& row, Dtype dtype) {
  switch (row.fn) {
    case TL_ZIP_addcmul: return {is_float(dtype) ? -0.7 : -3.0};
    case TL_ZIP_leaky_relu_bw: return {0.01};
    case TL_ZIP_softplus_bw: return {2, 5};
    case TL_ZIP_clamp_bw: return {-1, 2};
    default: return {};
  }
}

ZipFills easy_zip_fills(const Row& row) {
  if (row.fn == TL_ZIP_pow) return {"positive", Fill::positive, Fill::typical, Fill::typical};
  if (row.fn == TL_ZIP_sigmoid_bw) return {"result", Fill::typical, Fill::probability, Fill::typical};
  if (row.fn == TL_ZIP_tanh_bw) return {"result", Fill::typical, Fill::unit, Fill::typical};
  return {"typical", Fill::typical, Fill::typical, Fill::typical};
}

namespace {

/// Hard values, as far as the order of the row's roundings doesn't decide between a number and inf.
std::vector<ZipFills> hard_fills(const Row& row) {
  switch (row.fn) {
    case TL_ZIP_addcmul:
      return {{"moderate", Fill::moderate, Fill::moderate, Fill::moderate},
              {"tame", Fill::tame, Fill::tame, Fill::tame}};
    case TL_ZIP_sigmoid_bw:
    case TL_ZIP_tanh_bw: return {{"result", Fill::moderate, Fill::probability, Fill::unit}};
    case TL_ZIP_gelu_bw:
    case TL_ZIP_gelu_tanh_bw:
    case TL_ZIP_silu_bw:
    case TL_ZIP_softplus_bw: return {{"special", Fill::moderate, Fill::special, Fill::unit}};
    case TL_ZIP_pow:
      return {{"special", Fill::special, Fill::special, Fill::unit},
              {"bits", Fill::bits, Fill::bits, Fill::unit},
              {"moderate", Fill::moderate, Fill::typical, Fill::unit},
              {"whole", Fill::typical, Fill::integers, Fill::unit},
              {"positive", Fill::positive, Fill::special, Fill::unit}};
    default:
      return {{"special", Fill::special, Fill::special, Fill::special},
              {"bits", Fill::bits, Fill::bits, Fill::bits},
              {"equal", Fill::integers, Fill::integers, Fill::integers}};
  }
}

class ZipCases {
 public:
  explicit ZipCases(std::vector<Case>& list) : list_(list) {}

  void row(const Row& row) {
    row_ = &row;
    for (Dtype dtype : input_dtypes(row.domain)) {
      dtype_ = dtype;
      const ZipFills easy = easy_zip_fills(row);
      for (std::int64_t n : line_lengths()) add({n}, {}, {}, {}, {}, easy);
      for (const Shape& shape : odd_shapes()) {
        add(shape, {}, {}, {}, {}, easy);
        add(shape, mixed, mixed, mixed, mixed, easy);
      }
      for (const Shape& shape : {Shape{33, 65}, Shape{5, 6, 7}}) layouts(shape, easy);
      for (const ZipFills& hard : hard_fills(row)) add({1031}, {}, {}, {}, {}, hard);
      add({long_line}, {}, {}, {}, {}, easy);
      add({7, 10'007}, {}, Arrangement::one_row, Arrangement::one_column, {}, easy);
    }
  }

 private:
  static constexpr Arrangement mixed = Arrangement::mixed;

  void layouts(const Shape& shape, const ZipFills& fills) {
    for (Arrangement a : dense_arrangements) {
      add(shape, a, {}, {}, {}, fills);
      add(shape, {}, a, {}, {}, fills);
      add(shape, {}, {}, a, a, fills);
      add(shape, a, a, a, a, fills);
    }
    for (Arrangement a : broadcast_arrangements) {
      add(shape, a, {}, {}, {}, fills);
      add(shape, {}, a, {}, {}, fills);
      add(shape, a, a, {}, {}, fills);
      add(shape, a, mixed, a, mixed, fills);
      add(shape, mixed, a, a, {}, fills);
    }
    add(shape, Arrangement::one_row, Arrangement::one_column, Arrangement::one_value, {}, fills);
    add(shape, Arrangement::one_column, Arrangement::one_row, Arrangement::every_second, {}, fills);
  }

  void add(const Shape& shape, Arrangement x, Arrangement y, Arrangement z, Arrangement to,
           const ZipFills& fills) {
    Case c;
    c.op = Op::zip, c.fn = row_->fn, c.params = zip_params(*row_, dtype_), c.seed = list_.size();
    const Dtype first = row_->domain == "select" ? Dtype::boolean : dtype_;
    const bool three = row_->inputs == 3;
    c.operands = {laid(first, shape, x, {fills.x}, 1), laid(dtype_, shape, y, {fills.y}, 2),
                  three ? laid(dtype_, shape, z, {fills.z}, 3) : absent(),
                  laid(output_dtype(row_->domain, dtype_), shape, to, {}, 4)};
    c.name = path("zip", row_->name, name(dtype_), text(shape), fills.name, std::string("x=") + name(x),
                  std::string("y=") + name(y));
    if (three) c.name = path(c.name, std::string("z=") + name(z));
    c.name = path(c.name, std::string("to=") + name(to));
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  const Row* row_ = nullptr;
  Dtype dtype_{};
};

}  // namespace

std::vector<Case> zip_cases() {
  std::vector<Case> list;
  for (const Row& row : rows()) {
    if (row.op == Op::zip) ZipCases(list).row(row);
  }
  return list;
}

}  // namespace torchlight::test
