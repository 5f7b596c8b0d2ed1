#include <torchlight/ext/optim.h>

#include "case_builder.h"
#include "cases.h"

namespace torchlight::test {
namespace {

/// The numbers of a step, in the order of tl_optim_args.
struct Numbers {
  double lr = 0.1, weight_decay = 0, momentum = 0, dampening = 0;
  double beta1 = 0, beta2 = 0, eps = 0, correction1 = 1, correction2 = 1;

  std::vector<double> list() const {
    return {lr, weight_decay, momentum, dampening, beta1, beta2, eps, correction1, correction2};
  }
};

struct Rule {
  const char* name;
  std::uint32_t fn, flags;
  Numbers numbers;
  int states;
};

std::vector<Rule> rules() {
  const auto adam = [](double lr, double decay, double correction1, double correction2) {
    return Numbers{lr, decay, 0, 0, 0.9, 0.999, 1e-8, correction1, correction2};
  };
  return {
      {"sgd", TL_OPTIM_SGD, 0, {.lr = 0.1}, 0},
      {"sgd_decay", TL_OPTIM_SGD, 0, {.lr = 0.1, .weight_decay = 0.01}, 0},
      {"sgd_first", TL_OPTIM_SGD, TL_OPTIM_FIRST, {.lr = 0.1, .momentum = 0.9, .dampening = 0.5}, 1},
      {"sgd_momentum", TL_OPTIM_SGD, 0, {.lr = 0.1, .momentum = 0.9, .dampening = 0.5}, 1},
      {"sgd_nesterov",
       TL_OPTIM_SGD,
       TL_OPTIM_NESTEROV,
       {.lr = 0.1, .weight_decay = 0.01, .momentum = 0.9},
       1},
      {"adam_first", TL_OPTIM_ADAM, 0, adam(1e-3, 0, 0.1, 1e-3), 2},
      {"adam", TL_OPTIM_ADAM, 0, adam(0.5, 0, 0.65, 0.01), 2},
      {"adam_decay", TL_OPTIM_ADAM, 0, adam(0.5, 0.1, 1, 0.9), 2},
      {"adamw", TL_OPTIM_ADAMW, 0, adam(0.5, 0.1, 0.65, 0.01), 2},
      {"adamw_no_decay", TL_OPTIM_ADAMW, 0, adam(0.5, 0, 0.65, 0.01), 2},
  };
}

class OptimCases {
 public:
  OptimCases(std::vector<Case>& list, Dtype dtype, const Rule& rule)
      : list_(list), dtype_(dtype), rule_(rule) {}

  void all() {
    for (std::int64_t n : line_lengths()) add({n});
    for (const Shape& shape : odd_shapes()) add(shape);
    add({long_line});
    add({40, 7}, {1, 1, 3, 20});
    add({70, 1001}, {16, 17, 69});
    if (rule_.fn == TL_OPTIM_SGD) add({257}, {}, Fill::tame);
    add({33}, {}, Fill::one_nan);
  }

 private:
  void add(const Shape& shape, std::vector<std::int64_t> cuts = {}, Fill grad = Fill::typical) {
    Case c;
    c.op = Op::optim, c.fn = rule_.fn, c.flags = rule_.flags, c.params = rule_.numbers.list();
    c.name = path("optim", rule_.name, name(dtype_), text(shape), name(grad));
    if (!cuts.empty()) c.name = path(c.name, std::to_string(cuts.size() + 1) + "_items");
    c.cuts = std::move(cuts), c.seed = list_.size();
    const auto state = [&](int number, Fill fill) {
      return rule_.states > number ? dense(dtype_, shape, {fill}) : absent();
    };
    c.operands = {dense(dtype_, shape, {grad}), dense(dtype_, shape), state(0, Fill::typical),
                  state(1, Fill::positive)};
    list_.push_back(std::move(c));
  }

  std::vector<Case>& list_;
  Dtype dtype_;
  const Rule& rule_;
};

}  // namespace

std::vector<Case> optim_cases() {
  std::vector<Case> list;
  const std::vector<Rule> all = rules();
  for (Dtype dtype : {Dtype::float32, Dtype::float64})
    for (const Rule& rule : all) OptimCases(list, dtype, rule).all();
  return list;
}

}  // namespace torchlight::test
