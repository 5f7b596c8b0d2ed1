#include "case_builder.h"
#include "cases.h"

namespace torchlight::test {
namespace {

struct Layernorm {
  Dtype dtype = Dtype::float32;
  Shape shape = {1};
  std::uint32_t normalized = 1;
  Arrangement from = {}, to = {}, vectors = {};
  Values input = {Fill::typical};
  bool gamma = true, beta = true, saved = true;
  bool dinput = true, dgamma = true, dbeta = true;
  double eps = 1e-5;
};

class LayernormCases {
 public:
  LayernormCases(std::vector<Case>& list, Op op, Dtype dtype) : list_(list), op_(op) {
    base_.dtype = dtype;
  }

  void all() {
    for (std::int64_t n : line_lengths()) {
      if (n > 0) add(shaped({3, n}, 1));
      add(shaped({n, 5}, 1));
    }
    for (const Shape& shape :
         {Shape{1}, Shape{37}, Shape{7, 1025}, Shape{2, 3, 4, 65}, Shape{0, 5}, Shape{2, 0, 5},
          Shape{70'000, 3}, Shape{3, 20'011}, Shape{400, 131}, Shape{1, 2, 1, 3, 1, 2, 4, 9}}) {
      for (std::uint32_t last = 1; last <= shape.size() && last <= 3; ++last) {
        const Shape normal(shape.end() - last, shape.end());
        if (count(normal) > 0) add(shaped(shape, last));
      }
    }
    layouts();
    options();
    values();
  }

 private:
  Layernorm shaped(const Shape& shape, std::uint32_t normalized) const {
    Layernorm l = base_;
    l.shape = shape, l.normalized = normalized;
    return l;
  }

  void layouts() {
    for (Arrangement a : dense_arrangements) {
      for (std::uint32_t last : {1u, 2u}) {
        Layernorm l = shaped({3, 7, 37}, last);
        l.from = a;
        add(l);
        l.to = a, l.from = Arrangement::mixed, l.vectors = a;
        add(l);
      }
    }
    for (Arrangement a : broadcast_arrangements) {
      Layernorm l = shaped({3, 7, 37}, 1);
      l.from = a;
      add(l);
    }
  }

  void options() {
    for (unsigned choice = 0; choice < 64; ++choice) {
      Layernorm l = shaped({6, 41}, 1);
      l.gamma = choice & 1, l.beta = choice & 2, l.saved = choice & 4;
      l.dinput = choice & 8, l.dgamma = choice & 16, l.dbeta = choice & 32;
      if (op_ == Op::layernorm_fw && choice >= 8) break;
      if (op_ == Op::layernorm_bw && !l.beta) continue;  // the backward has no beta
      add(l);
    }
    Layernorm l = shaped({6, 41}, 1);
    for (double eps : {0.0, 1e-12, 1.0}) l.eps = eps, add(l);
  }

  void values() {
    for (const Values& v : {Values{Fill::constant, 1234},
                            {Fill::large_mean, 1000},
                            {Fill::one_nan},
                            {Fill::tame},
                            {Fill::moderate},
                            {Fill::unit},
                            {Fill::ascending},
                            {Fill::integers}}) {
      for (std::int64_t columns : {1, 4, 37, 256}) {
        Layernorm l = shaped({5, columns}, 1);
        l.input = v;
        add(l);
      }
    }
  }

  std::string name_of(const Layernorm& l) const {
    std::string n =
        path(name(op_), name(l.dtype), text(l.shape), "normalized=" + std::to_string(l.normalized),
             name(l.input.fill), std::string("from=") + name(l.from), std::string("to=") + name(l.to));
    if (l.vectors != Arrangement::contiguous) n = path(n, std::string("vectors=") + name(l.vectors));
    if (!l.gamma) n = path(n, "no_gamma");
    if (!l.beta) n = path(n, "no_beta");
    if (!l.saved) n = path(n, "nothing_saved");
    if (!l.dinput) n = path(n, "no_dinput");
    if (!l.dgamma) n = path(n, "no_dgamma");
    if (!l.dbeta) n = path(n, "no_dbeta");
    return l.eps == 1e-5 ? n : path(n, "eps=" + std::to_string(l.eps));
  }

  void add(const Layernorm& l) {
    const Shape outer(l.shape.begin(), l.shape.end() - l.normalized);
    const Shape inner(l.shape.end() - l.normalized, l.shape.end());
    const auto optional = [&](bool wanted, const Shape& shape, Values values = {}) {
      return wanted ? laid(l.dtype, shape, l.vectors, values, 12) : absent();
    };
    const Operand input = laid(l.dtype, l.shape, l.from, l.input, 13);
    const Operand full_output = laid(l.dtype, l.shape, l.to, {}, 14);
    Case c;
    c.op = op_, c.eps = l.eps, c.normalized = l.normalized, c.seed = list_.size(), c.name = name_of(l);
    if (op_ == Op::layernorm_fw) {
      c.operands = {input,       optional(l.gamma, inner), optional(l.beta, inner),
                    full_output, optional(l.saved, outer), optional(l.saved, outer)};
    } else {
      c.operands = {laid(l.dtype, l.shape, l.to, {Fill::typical}, 15),
                    input,
                    optional(l.gamma, inner),
                    optional(l.saved, outer, {Fill::mean_of_input}),
                    optional(l.saved, outer, {Fill::rstd_of_input}),
                    l.dinput ? full_output : absent(),
                    optional(l.dgamma, inner),
                    optional(l.dbeta, inner)};
    }
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  Op op_;
  Layernorm base_;
};

}  // namespace

std::vector<Case> layernorm_cases(Op op) {
  std::vector<Case> list;
  for (Dtype dtype : {Dtype::float32, Dtype::float64}) LayernormCases(list, op, dtype).all();
  return list;
}

}  // namespace torchlight::test
