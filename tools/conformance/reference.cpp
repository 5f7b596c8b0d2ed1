#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

/// The operands of a case by the names of their slots.
class Operands {
 public:
  Operands(const Case& c, const std::vector<Array>& arrays) : case_(c), arrays_(arrays) {}
  const Array& operator[](std::string_view name) const { return arrays_[slot(case_.op, name)]; }
  const Array& operator[](std::size_t i) const { return arrays_[i]; }

 private:
  const Case& case_;
  const std::vector<Array>& arrays_;
};

Result map_case(const Case& c, const Array& input, const Operand& output) {
  if (!input.present()) return create(c.fn, output.dtype, output.layout.extent, c.params);
  return map(c.fn, input, output.dtype, c.params);
}

/// The one output of all operations but layernorm and optim.
Result single(const Case& c, const Operands& at) {
  switch (c.op) {
    case Op::map: return map_case(c, at[0], c.operands[1]);
    case Op::zip: return zip(c.fn, at[0], at[1], at[2], c.operands[3].dtype, c.params);
    case Op::reduce: return reduce(c.fn, at[0], c.axis_mask);
    case Op::matmul: return matmul(at[0], at[1], at[2], at[3], {c.alpha, c.beta, c.activation});
    case Op::attn_softmax_fw: return softmax(at[0], at[1], {c.scale, c.causal, c.causal_offset});
    case Op::attn_softmax_bw: return softmax_gradient(at[0], at[1], c.scale);
    case Op::gather: return gather(at[0], at[1], c.axis);
    case Op::scatter_add: return scatter_add(at[0], at[1], at[2], c.axis);
    case Op::scan: return scan(c.fn, at[0], c.axis, c.reverse);
    case Op::random:
      return random(c.fn, c.operands[0].dtype, c.operands[0].layout.extent,
                    {c.random_seed, c.random_offset, c.params.at(0), c.params.at(1)});
    default: no_reference("op", static_cast<std::uint32_t>(c.op));
  }
}

}  // namespace

Result::Result(Dtype d, Shape s)
    : dtype(d),
      shape(std::move(s)),
      value(static_cast<std::size_t>(count(shape))),
      tolerance(value.size()) {}

bool agrees(const Result& want, std::size_t i, Real got) {
  const Real value = want.value[i], tolerance = want.tolerance[i];
  const Real rounded = round_to(want.dtype, value);
  if (std::isnan(value)) return std::isnan(got);
  if (got == rounded)
    return rounded != 0 || !want.signs_of_zero || std::signbit(got) == std::signbit(value);
  if (std::isnan(got)) return tolerance == anything;
  if (std::isinf(value)) return false;
  if (std::isinf(got))
    return std::fabs(value) + tolerance > largest(want.dtype) && (got > 0) == (value > 0);
  const Real from = std::isinf(rounded) ? value : rounded;
  return std::fabs(got - from) <= tolerance;
}

namespace {

void widen(Result& result, double slack) {
  Real largest = 0;
  for (const Real value : result.value)
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  for (Real& tolerance : result.tolerance) tolerance += slack * spacing(result.dtype, largest);
}

}  // namespace

std::vector<Result> evaluate(const Case& c, const std::vector<Array>& operands) {
  const Operands at(c, operands);
  std::vector<Result> results(operands.size());
  if (c.op == Op::layernorm_fw) {
    Layernorm all = layernorm(at["input"], at["gamma"], at["beta"], c.eps, c.normalized);
    results[slot(c.op, "output")] = std::move(all.output);
    results[slot(c.op, "mean")] = std::move(all.mean);
    results[slot(c.op, "rstd")] = std::move(all.rstd);
  } else if (c.op == Op::layernorm_bw) {
    LayernormGradient all =
        layernorm_gradient(at["grad"], at["input"], at["gamma"], c.eps, c.normalized);
    results[slot(c.op, "dinput")] = std::move(all.dinput);
    results[slot(c.op, "dgamma")] = std::move(all.dgamma);
    results[slot(c.op, "dbeta")] = std::move(all.dbeta);
  } else if (c.op == Op::optim) {
    Stepped all = optim(c.fn, c.flags, c.params, at["param"], at["grad"], at["state0"], at["state1"]);
    results[slot(c.op, "param")] = std::move(all.param);
    results[slot(c.op, "state0")] = std::move(all.state0);
    results[slot(c.op, "state1")] = std::move(all.state1);
  } else {
    results.back() = single(c, at);
  }
  if (c.slack > 0 && (c.op == Op::layernorm_fw || c.op == Op::layernorm_bw))
    for (Result& result : results) widen(result, c.slack);
  return results;
}

}  // namespace torchlight::test::reference
