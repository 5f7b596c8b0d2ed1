#include <torchlight/ext/optim.h>

#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

/// A value and how far the dtype's own arithmetic may be from it after the operations so far, each of which
/// rounds once: the usual first-order analysis, operation by operation.
class Bounded {
 public:
  Bounded(Dtype dtype, Real value, Real error = 0) : dtype_(dtype), value_(value), error_(error) {}

  Scalar scalar() const { return {value_, error_ + rounding(value_)}; }

  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    return a.rounded(a.value_ + b.value_, a.error_ + b.error_);
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) {
    return a.rounded(a.value_ - b.value_, a.error_ + b.error_);
  }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    return a.rounded(a.value_ * b.value_, std::fabs(a.value_) * b.error_ +
                                              std::fabs(b.value_) * a.error_ + a.error_ * b.error_);
  }
  friend Bounded operator/(const Bounded& a, const Bounded& b) {
    const Real least = std::fabs(b.value_) - b.error_, value = a.value_ / b.value_;
    return a.rounded(value, least > 0 ? (a.error_ + std::fabs(value) * b.error_) / least : anything);
  }
  friend Bounded sqrt(const Bounded& a) {
    const Real least = a.value_ - a.error_;
    return a.rounded(std::sqrt(a.value_),
                     least > 0 ? a.error_ / (2 * std::sqrt(least)) : std::sqrt(a.value_ + a.error_));
  }

 private:
  Bounded rounded(Real value, Real error) const { return {dtype_, value, error + rounding(value)}; }
  Real rounding(Real value) const {
    return std::isfinite(value) ? spacing(dtype_, round_to(dtype_, value)) / 2 : 0;
  }

  Dtype dtype_;
  Real value_, error_;
};

/// The numbers of a call, under the names of tl_optim_args.
struct Numbers {
  double lr, weight_decay, momentum, dampening, beta1, beta2, eps, correction1, correction2;
  explicit Numbers(std::span<const double> p)
      : lr(p[0]),
        weight_decay(p[1]),
        momentum(p[2]),
        dampening(p[3]),
        beta1(p[4]),
        beta2(p[5]),
        eps(p[6]),
        correction1(p[7]),
        correction2(p[8]) {}
};

/// One element.
struct Element {
  Bounded param, grad, state0, state1;
};

void sgd(Element& e, const Numbers& n, std::uint32_t flags, const auto& number) {
  if (n.weight_decay != 0) e.grad = e.grad + e.param * number(n.weight_decay);
  if (n.momentum != 0) {
    e.state0 = flags & TL_OPTIM_FIRST
                   ? e.grad
                   : e.state0 * number(n.momentum) + e.grad * number(1 - n.dampening);
    e.grad = flags & TL_OPTIM_NESTEROV ? e.grad + e.state0 * number(n.momentum) : e.state0;
  }
  e.param = e.param - e.grad * number(n.lr);
}

void adam(Element& e, const Numbers& n, bool decoupled, const auto& number) {
  if (decoupled)
    e.param = e.param * number(1 - n.lr * n.weight_decay);
  else if (n.weight_decay != 0)
    e.grad = e.grad + e.param * number(n.weight_decay);
  e.state0 = e.state0 * number(n.beta1) + e.grad * number(1 - n.beta1);
  e.state1 = e.state1 * number(n.beta2) + number(1 - n.beta2) * e.grad * e.grad;
  const Bounded scale = sqrt(e.state1) * number(1 / std::sqrt(n.correction2)) + number(n.eps);
  e.param = e.param - e.state0 / scale * number(n.lr / n.correction1);
}

}  // namespace

Stepped optim(std::uint32_t fn, std::uint32_t flags, std::span<const double> params, const Array& param,
              const Array& grad, const Array& state0, const Array& state1) {
  const Numbers numbers(params);
  const Dtype dtype = param.dtype;
  const auto number = [dtype](double x) { return Bounded(dtype, round_to(dtype, x)); };
  Stepped all{Result(dtype, param.shape), {}, {}};
  if (state0.present()) all.state0 = Result(dtype, param.shape);
  if (state1.present()) all.state1 = Result(dtype, param.shape);
  const auto at = [dtype](const Array& array, std::size_t i) {
    return Bounded(dtype, array.present() ? array.at[i] : 0);
  };
  const auto set = [](Result& result, std::size_t i, const Scalar& s) {
    if (!result.value.empty()) result.set(i, s.value, s.tolerance);
  };
  for (std::size_t i = 0; i < param.at.size(); ++i) {
    Element e{at(param, i), at(grad, i), at(state0, i), at(state1, i)};
    if (fn == TL_OPTIM_SGD)
      sgd(e, numbers, flags, number);
    else
      adam(e, numbers, fn == TL_OPTIM_ADAMW, number);
    set(all.param, i, e.param.scalar());
    set(all.state0, i, e.state0.scalar());
    set(all.state1, i, e.state1.scalar());
  }
  return all;
}

}  // namespace torchlight::test::reference
