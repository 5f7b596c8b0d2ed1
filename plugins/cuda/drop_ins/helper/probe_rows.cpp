// Softmax, layernorm and their backward: which form, and up to which sizes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "probe.h"

namespace torchlight::drop_ins {
namespace {

/// reduce: with the first function that was found right.
Step trial(Op op, const Form& form, int rows, int columns) {
  const auto fn = form.functions ? static_cast<std::uint32_t>(std::countr_zero(form.functions)) : 0;
  return {Step::known_numbers, form, {op, fn, {rows, columns, 0, 0}}};
}

std::string text(const Verdict& verdict) { return verdict.text; }

const Verdict* first_fault(const std::vector<Verdict>& verdicts) {
  const auto fault = std::find_if(verdicts.begin(), verdicts.end(),
                                  [](const Verdict& v) { return v.kind != Verdict::right; });
  return fault == verdicts.end() ? nullptr : &*fault;
}

/// What eps is, of those that anybody uses; 0 for none of them.
float known_eps(double measured) {
  for (const double eps : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10})
    if (std::abs(measured - eps) < 0.02 * eps) return static_cast<float>(eps);
  return 0;
}

bool find_layernorm_form(Steps& steps, Form& form) {
  const Verdict verdict = steps.run_one({Step::layernorm_form});
  if (verdict.kind != Verdict::right) return refuse(form, text(verdict)), false;
  const double y = verdict.numbers[0], vars = verdict.numbers[1], mean = verdict.numbers[2];
  const double measured = 1e-8 / (y * y) - 1e-8;
  form.eps = known_eps(measured);
  std::ostringstream out;
  if (form.eps == 0) {
    out << "rows of +-0.0001 give +-" << y << ", which is layernorm with no known eps (" << measured
        << ")";
    return refuse(form, out.str()), false;
  }
  if (form.spelling == Spelling::tutorial) return true;
  const auto is = [&](double wanted) { return std::abs(vars - wanted) < 0.02 * wanted; };
  form.vars = is(1e-8) ? Vars::variance : is(1e-8 + form.eps) ? Vars::variance_and_eps : Vars::none;
  if (form.vars != Vars::none && std::abs(mean) < 1e-6) return true;
  out << "it writes vars " << vars << " and means " << mean
      << " for rows of variance 1e-08 and mean 0: "
      << "neither the variance nor the variance + " << form.eps;
  return refuse(form, out.str()), false;
}

void find_mask(Steps& steps, Form& form) {
  if (form.spelling != Spelling::launch) return;
  const Verdict verdict = steps.run_one({Step::mask_form});
  constexpr float near = 1e-4f;
  form.mask = verdict.kind != Verdict::right ? Mask::other
              : verdict.numbers[1] < near    ? Mask::added
              : verdict.numbers[0] < near    ? Mask::ignored
                                             : Mask::other;
}

/// The first plain case, in each form that there is.
bool find_form(Steps& steps, Op op, Form& form) {
  const Verdict first = steps.run_one(trial(op, form, 5, 32));
  if (first.kind == Verdict::right) return true;
  if (op != Op::layernorm_bw || form.spelling != Spelling::launch)
    return refuse(form, text(first)), false;
  Form other = form;
  other.inp_is_output = 1;
  const Verdict second = steps.run_one(trial(op, other, 5, 32));
  if (second.kind == Verdict::right) return form = other, true;
  std::string reason = text(first);
  if (text(second) != reason) reason += "; if inp is what the forward gave, " + text(second);
  return refuse(form, reason), false;
}

bool find_step(Steps& steps, Op op, Form& form) {
  Verdict fault;
  for (const int step : {1, 2, 4, 8, 32}) {
    std::vector<Step> trials;
    for (const int multiple : {1, 3, 5, 33})
      if (step * multiple <= 160) trials.push_back(trial(op, form, 3, step * multiple));
    const auto verdicts = steps.run(trials);
    form.columns_step = step;
    const Verdict* wrong = first_fault(verdicts);
    if (!wrong) return true;
    if (step == 1) fault = *wrong;
  }
  return refuse(form, text(fault)), false;
}

/// Up to which power of 2 all widths work. Some between each two are tried.
void find_widest(Steps& steps, Op op, Form& form) {
  constexpr int widest = 65536;
  const int step = form.columns_step;
  std::vector<Step> trials;
  std::vector<int> bounds;
  for (int bound = 32; bound <= widest; bound *= 2)
    for (const int columns : {bound / 2 + step, bound / 4 * 3 / step * step, bound - step, bound}) {
      if (columns < step || columns > bound || columns % step != 0) continue;
      trials.push_back(trial(op, form, 3, columns));
      bounds.push_back(bound);
    }
  const auto verdicts = steps.run(trials);
  form.most_columns = widest;
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i].kind != Verdict::right) {
      form.most_columns = bounds[i] / 2;
      break;
    }
}

bool find_rows(Steps& steps, Op op, Form& form) {
  const int columns = std::max(8, form.columns_step);
  std::vector<Step> few;
  form.most_rows = 64;
  for (const int rows : {1, 2, 3, 4, 6, 7, 9, 33, 257}) few.push_back(trial(op, form, rows, columns));
  const auto verdicts = steps.run(few);
  if (const Verdict* fault = first_fault(verdicts)) return refuse(form, text(*fault)), false;
  for (const Verdict& verdict : verdicts) form.touches_rows_behind |= verdict.touched_rows_behind;
  std::string last;
  for (const int rows : {32768, 1024, 64}) {
    form.most_rows = rows;
    const Verdict verdict = steps.run_one(trial(op, form, rows, columns));
    if (verdict.kind == Verdict::right) return true;
    last = text(verdict);
  }
  return refuse(form, last), false;
}

}  // namespace

void probe_limits(Steps& steps, Op op, Form& form) {
  if (!find_step(steps, op, form)) return;
  find_widest(steps, op, form);
  form.accepted = find_rows(steps, op, form);
}

void probe_rows(Steps& steps, Op op, Form& form, const Form* forward) {
  form.most_rows = 1024;
  if (op == Op::layernorm_fw && !find_layernorm_form(steps, form)) return;
  if (op == Op::layernorm_bw && form.spelling == Spelling::tutorial) {
    if (!forward || !forward->accepted)
      return refuse(form, "without its forward there is no telling its eps");
    form.eps = forward->eps;
  }
  if (!find_form(steps, op, form)) return;
  if (op == Op::softmax_fw) find_mask(steps, form);
  probe_limits(steps, op, form);
}

}  // namespace torchlight::drop_ins
