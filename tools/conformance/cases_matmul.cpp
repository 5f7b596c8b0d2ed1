#include "case_builder.h"
#include "cases.h"

namespace torchlight::test {
namespace {

/// The two last axes in memory.
enum class Matrix { plain, transposed, padded, stepped, reversed };
constexpr std::array matrices = {Matrix::plain, Matrix::transposed, Matrix::padded, Matrix::stepped,
                                 Matrix::reversed};

const char* name(Matrix m) {
  constexpr std::array names = {"plain", "transposed", "padded", "stepped", "reversed"};
  return names[static_cast<std::size_t>(m)];
}

Layout lay(const Shape& shape, Matrix m) {
  switch (m) {
    case Matrix::plain: return arrange(shape);
    case Matrix::transposed: return transpose_last(shape);
    case Matrix::padded: return arrange(shape, Arrangement::padded);
    case Matrix::stepped: return arrange(shape, Arrangement::stepped);
    case Matrix::reversed: return arrange(shape, Arrangement::reversed);
  }
  __builtin_unreachable();
}

struct Product {
  Dtype in = Dtype::float32, out = Dtype::float32;
  std::int64_t m = 1, n = 1, k = 1;
  Matrix a = Matrix::plain, b = Matrix::plain, c = Matrix::plain;
  Shape batch = {};
  Shape batch_a = {}, batch_b = {};  ///< broadcast to `batch`; empty: one matrix for all
  double alpha = 1, beta = 0;
  Shape bias = {};  ///< broadcast to the output; {-1}: none
  bool has_bias = false;
  std::uint32_t activation = 0;
  Fill fill = Fill::unit;
};

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.insert(batch.end(), {rows, columns});
  return batch;
}

class MatmulCases {
 public:
  explicit MatmulCases(std::vector<Case>& list) : list_(list) {}

  void all(Dtype dtype) {
    base_ = {};
    base_.in = base_.out = dtype;
    sizes();
    layouts();
    batches();
    scaled();
    activations();
    values();
  }

  /// float16 and bfloat16, into their own type and into float32.
  void halves(Dtype half) {
    for (Dtype out : {half, Dtype::float32}) {
      base_ = {};
      base_.in = half, base_.out = out;
      for (auto [m, n, k] :
           {std::array{1, 1, 1}, {5, 7, 9}, {33, 65, 40}, {1, 50, 300}, {64, 1, 64}, {4, 4, 0}}) {
        Product p = sized(m, n, k);
        add(p);
        p.a = Matrix::transposed, p.b = Matrix::transposed, p.c = Matrix::padded;
        add(p);
      }
      Product p = sized(9, 17, 31);
      p.alpha = 0.5, p.beta = 1, p.has_bias = true, p.bias = {17};
      add(p);
    }
  }

  /// A plug-in may leave integers out.
  void integers() {
    demand_ = Demand::optional;
    base_ = {};
    base_.in = base_.out = Dtype::int64;
    for (Fill fill : {Fill::integers, Fill::bits}) {
      for (auto [m, n, k] :
           {std::array{1, 1, 1}, {5, 7, 9}, {17, 35, 19}, {3, 2, 0}, {1, 40, 33}, {70, 65, 130}}) {
        Product p = sized(m, n, k);
        p.fill = fill;
        add(p);
        p.a = Matrix::transposed, p.b = Matrix::stepped, p.c = Matrix::transposed;
        p.alpha = -2, p.beta = 3, p.has_bias = true, p.bias = {n};
        add(p);
      }
    }
    demand_ = Demand::required;
  }

 private:
  Product sized(std::int64_t m, std::int64_t n, std::int64_t k) const {
    Product p = base_;
    p.m = m, p.n = n, p.k = k;
    return p;
  }

  void sizes() {
    for (std::int64_t n = 1; n <= 34; ++n) {
      add(sized(n, 35 - n, 7));
      add(sized(3, 5, n));
      add(sized(n, 3, 11));
      add(sized(2, n, 13));
    }
    for (auto [m, n, k] : {std::array{0, 3, 2},
                           {3, 0, 2},
                           {3, 2, 0},
                           {0, 0, 0},
                           {1, 1, 1},
                           {1, 200, 300},
                           {200, 1, 300},
                           {64, 64, 64},
                           {65, 63, 127},
                           {128, 96, 257},
                           {7, 513, 3},
                           {513, 7, 3},
                           {2, 2, 2049},
                           {130, 140, 150}}) {
      add(sized(m, n, k));
    }
  }

  void layouts() {
    for (Matrix a : matrices) {
      for (Matrix b : matrices) {
        for (Matrix c : {Matrix::plain, Matrix::transposed, Matrix::stepped}) {
          Product p = sized(17, 35, 19);
          p.a = a, p.b = b, p.c = c;
          add(p);
          p.m = 1, p.n = 40;
          add(p);
          p.m = 40, p.n = 1;
          add(p);
        }
      }
    }
  }

  void batches() {
    for (Matrix m : {Matrix::plain, Matrix::transposed, Matrix::stepped}) {
      for (auto [a, b] : {std::pair{Shape{2, 3}, Shape{2, 3}},
                          {Shape{2, 1}, Shape{1, 3}},
                          {Shape{}, Shape{2, 3}},
                          {Shape{2, 3}, Shape{}},
                          {Shape{3}, Shape{2, 1}}}) {
        Product p = sized(5, 9, 6);
        p.batch = {2, 3}, p.batch_a = a, p.batch_b = b, p.a = m, p.b = m;
        add(p);
      }
    }
    for (const Shape& batch :
         {Shape{0}, Shape{4, 0, 2}, Shape{1, 1, 1, 1, 1, 1}, Shape{2, 1, 2, 1, 2, 1}, Shape{50}}) {
      Product p = sized(4, 5, 3);
      p.batch = p.batch_a = p.batch_b = batch;
      add(p);
    }
  }

  void scaled() {
    for (double alpha : {1.0, 0.125, -2.5, 0.0}) {
      for (double beta : {0.0, 1.0, -0.5}) {
        for (auto [m, n, k] : {std::array{9, 21, 15}, {1, 33, 8}, {6, 4, 0}, {70, 70, 70}}) {
          Product p = sized(m, n, k);
          p.alpha = alpha, p.beta = beta;
          add(p);
          p.has_bias = true, p.bias = {n}, p.c = Matrix::transposed;
          add(p);
        }
      }
    }
    for (const Shape& bias :
         {Shape{}, Shape{12}, Shape{10, 1}, Shape{10, 12}, Shape{2, 1, 12}, Shape{2, 10, 12}}) {
      Product p = sized(10, 12, 14);
      p.batch = p.batch_a = {2}, p.has_bias = true, p.bias = bias;
      add(p);
    }
  }

  void activations() {
    for (std::uint32_t fn :
         {TL_MAP_relu, TL_MAP_gelu, TL_MAP_gelu_tanh, TL_MAP_tanh, TL_MAP_sigmoid, TL_MAP_silu}) {
      Product p = sized(11, 37, 23);
      p.activation = fn;
      add(p);
      p.has_bias = true, p.bias = {37}, p.c = Matrix::transposed;
      add(p);
      p.k = 0;
      add(p);
    }
  }

  void values() {
    for (Fill fill : {Fill::integers, Fill::one_nan, Fill::cancelling, Fill::moderate}) {
      Product p = sized(21, 34, 55);
      p.fill = fill;
      add(p);
      p.a = Matrix::transposed;
      add(p);
    }
  }

  Operand operand(Dtype dtype, const Product& p, const Shape& batch, std::int64_t rows,
                  std::int64_t columns, Matrix m) const {
    return {dtype,
            broadcast(lay(with_matrix(batch, rows, columns), m), with_matrix(p.batch, rows, columns)),
            {p.fill}};
  }

  void add(const Product& p) {
    Case c;
    c.op = Op::matmul, c.alpha = p.alpha, c.beta = p.beta, c.activation = p.activation,
    c.seed = list_.size(), c.demand = demand_;
    const Shape out = with_matrix(p.batch, p.m, p.n);
    c.operands = {operand(p.in, p, p.batch_a, p.m, p.k, p.a),
                  operand(p.in, p, p.batch_b, p.k, p.n, p.b),
                  p.has_bias ? Operand{p.out, broadcast(arrange(p.bias), out), {Fill::unit}} : absent(),
                  Operand{p.out, lay(out, p.c), {Fill::unit}}};
    c.name =
        path("matmul", test::name(p.in), test::name(p.out),
             "m=" + std::to_string(p.m) + ",n=" + std::to_string(p.n) + ",k=" + std::to_string(p.k),
             name(p.a), name(p.b), name(p.c), test::name(p.fill));
    if (!p.batch.empty())
      c.name = path(c.name, "batch=" + text(p.batch), text(p.batch_a), text(p.batch_b));
    if (p.alpha != 1 || p.beta != 0) {
      c.name = path(c.name, "alpha=" + std::to_string(p.alpha) + ",beta=" + std::to_string(p.beta));
    }
    if (p.has_bias) c.name = path(c.name, "bias=" + text(p.bias));
    if (p.activation) c.name = path(c.name, find_row(Op::map, p.activation)->name);
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  Product base_;
  Demand demand_ = Demand::required;
};

}  // namespace

std::vector<Case> matmul_cases() {
  std::vector<Case> list;
  MatmulCases cases(list);
  cases.all(Dtype::float32);
  cases.all(Dtype::float64);
  cases.halves(Dtype::float16);
  cases.halves(Dtype::bfloat16);
  cases.integers();
  return list;
}

}  // namespace torchlight::test
