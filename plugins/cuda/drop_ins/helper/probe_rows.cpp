// Softmax, layernorm and their backward: which form, and up to which sizes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "probe.h"

namespace torchlight::drop_ins {
namespace {

/// reduce: with the first function that was found right.
Prober::Trial trial(Op op, const Form& form, int rows, int columns) {
  const auto fn = form.functions ? static_cast<std::uint32_t>(std::countr_zero(form.functions)) : 0;
  return {form, {op, fn, {rows, columns, 0, 0}}};
}

std::string text(const Verdict& verdict) { return verdict.text; }

const Verdict* first_fault(const std::vector<Verdict>& verdicts) {
  const auto fault =
      std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.kind != Verdict::right; });
  return fault == verdicts.end() ? nullptr : &*fault;
}

/// What eps is, of those that anybody uses; 0 for none of them.
float known_eps(double measured) {
  for (const double eps : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10})
    if (std::abs(measured - eps) < 0.02 * eps) return static_cast<float>(eps);
  return 0;
}

/// Rows of ±1e-4 have a variance of 1e-8, beside which the eps of a library can be seen. Numbers: what came of an
/// element, `vars`, `means`.
void measure_layernorm(const Launchers& launchers, Verdict& verdict) {
  const Call call{Op::layernorm_fw, 0, {4, 32, 0, 0}};
  const Layout layout = layout_of(call);
  std::vector<float> region(layout.floats);
  for (std::size_t e = 0; e < layout.buffers[0].elements; ++e)
    region[layout.buffers[0].begin + e] = e % 2 == 0 ? 1e-4f : -1e-4f;
  for (std::size_t j = 0; j < 32; ++j) region[layout.buffers[1].begin + j] = 1;
  for (std::size_t j = 0; j < 32; ++j) region[layout.buffers[2].begin + j] = 0;
  Statistics statistics;
  perform(launchers, Form{}, call, region.data(), &statistics);
  verdict.numbers[0] = region[layout.buffers[3].begin];
  verdict.numbers[1] = statistics.variance;
  verdict.numbers[2] = statistics.mean;
  verdict.kind = Verdict::right;
}

bool find_layernorm_form(const Prober& prober, Form& form) {
  const Verdict verdict = prober.run(measure_layernorm);
  if (verdict.kind != Verdict::right) return refuse(form, text(verdict)), false;
  const double y = verdict.numbers[0], vars = verdict.numbers[1], mean = verdict.numbers[2];
  const double measured = 1e-8 / (y * y) - 1e-8;
  form.eps = known_eps(measured);
  std::ostringstream out;
  if (form.eps == 0) {
    out << "rows of +-0.0001 give +-" << y << ", which is layernorm with no known eps (" << measured << ")";
    return refuse(form, out.str()), false;
  }
  if (form.spelling == Spelling::tutorial) return true;
  const auto is = [&](double wanted) { return std::abs(vars - wanted) < 0.02 * wanted; };
  form.vars = is(1e-8) ? Vars::variance : is(1e-8 + form.eps) ? Vars::variance_and_eps : Vars::none;
  if (form.vars != Vars::none && std::abs(mean) < 1e-6) return true;
  out << "it writes vars " << vars << " and means " << mean << " for rows of variance 1e-08 and mean 0: neither the "
      << "variance nor the variance + " << form.eps;
  return refuse(form, out.str()), false;
}

/// The launch spelling's mask is [batch, to_len], for all heads and rows alike. Numbers: how far the result is from
/// the mask added, and from it ignored.
void try_mask(const Launchers& launchers, Verdict& verdict) {
  using Launch = void(float*, const float*, int, int, int, int, bool, void*);
  constexpr int batch = 2, heads = 2, from = 3, to = 32;
  std::vector<float> x(batch * heads * from * to + 1024), mask(batch * to + 1024);
  for (int e = 0; e < batch * heads * from * to; ++e) x[e] = static_cast<float>(e * 37 % 101) / 50 - 1;
  for (int e = 0; e < batch * to; ++e) mask[e] = static_cast<float>(e * 53 % 97) / 30 - 1;
  std::vector<float> y = x;
  reinterpret_cast<Launch*>(launchers.function(Op::softmax_fw))(y.data(), mask.data(), batch, heads, from, to, false,
                                                                nullptr);
  for (int with_mask = 0; with_mask < 2; ++with_mask) {
    double worst = 0;
    for (int row = 0; row < batch * heads * from; ++row) {
      const float* m = mask.data() + row / (heads * from) * to;
      double sum = 0;
      for (int j = 0; j < to; ++j) sum += std::exp(double{x[row * to + j]} + with_mask * double{m[j]});
      for (int j = 0; j < to; ++j)
        worst = std::max(worst,
                         std::abs(std::exp(double{x[row * to + j]} + with_mask * double{m[j]}) / sum - y[row * to + j]));
    }
    verdict.numbers[with_mask] = static_cast<float>(worst);
  }
  verdict.kind = Verdict::right;
}

void find_mask(const Prober& prober, Form& form) {
  if (form.spelling != Spelling::launch) return;
  const Verdict verdict = prober.run(try_mask);
  constexpr float near = 1e-4f;
  form.mask = verdict.kind != Verdict::right ? Mask::other
              : verdict.numbers[1] < near    ? Mask::added
              : verdict.numbers[0] < near    ? Mask::ignored
                                             : Mask::other;
}

/// The first plain case, in each form that there is.
bool find_form(const Prober& prober, Op op, Form& form) {
  const Verdict first = prober.run({trial(op, form, 5, 32)})[0];
  if (first.kind == Verdict::right) return true;
  if (op != Op::layernorm_bw || form.spelling != Spelling::launch) return refuse(form, text(first)), false;
  Form other = form;
  other.inp_is_output = 1;
  const Verdict second = prober.run({trial(op, other, 5, 32)})[0];
  if (second.kind == Verdict::right) return form = other, true;
  std::string reason = text(first);
  if (text(second) != reason) reason += "; if inp is what the forward gave, " + text(second);
  return refuse(form, reason), false;
}

bool find_step(const Prober& prober, Op op, Form& form) {
  Verdict fault;
  for (const int step : {1, 2, 4, 8, 32}) {
    std::vector<Prober::Trial> trials;
    for (const int multiple : {1, 3, 5, 33})
      if (step * multiple <= 160) trials.push_back(trial(op, form, 3, step * multiple));
    const auto verdicts = prober.run(trials);
    form.columns_step = step;
    const Verdict* wrong = first_fault(verdicts);
    if (!wrong) return true;
    if (step == 1) fault = *wrong;
  }
  return refuse(form, text(fault)), false;
}

/// Up to which power of 2 all widths work. Some between each two are tried.
void find_widest(const Prober& prober, Op op, Form& form) {
  constexpr int widest = 65536;
  const int step = form.columns_step;
  std::vector<Prober::Trial> trials;
  std::vector<int> bounds;
  for (int bound = 32; bound <= widest; bound *= 2)
    for (const int columns : {bound / 2 + step, bound / 4 * 3 / step * step, bound - step, bound}) {
      if (columns < step) continue;
      trials.push_back(trial(op, form, 3, columns));
      bounds.push_back(bound);
    }
  const auto verdicts = prober.run(trials);
  form.most_columns = widest;
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i].kind != Verdict::right) {
      form.most_columns = bounds[i] / 2;
      break;
    }
}

bool find_rows(const Prober& prober, Op op, Form& form) {
  const int columns = std::max(8, form.columns_step);
  std::vector<Prober::Trial> few;
  form.most_rows = 64;
  for (const int rows : {1, 2, 3, 4, 6, 7, 9, 33, 257}) few.push_back(trial(op, form, rows, columns));
  const auto verdicts = prober.run(few);
  if (const Verdict* fault = first_fault(verdicts)) return refuse(form, text(*fault)), false;
  for (const Verdict& verdict : verdicts) form.touches_rows_behind |= verdict.touched_rows_behind;
  std::string last;
  for (const int rows : {32768, 1024, 64}) {
    form.most_rows = rows;
    const Verdict verdict = prober.run({trial(op, form, rows, columns)})[0];
    if (verdict.kind == Verdict::right) return true;
    last = text(verdict);
  }
  return refuse(form, last), false;
}

}  // namespace

void probe_limits(const Prober& prober, Op op, Form& form) {
  if (!find_step(prober, op, form)) return;
  find_widest(prober, op, form);
  form.accepted = find_rows(prober, op, form);
}

void probe_rows(const Prober& prober, Op op, Form& form, const Form* forward) {
  form.most_rows = 1024;
  if (op == Op::layernorm_fw && !find_layernorm_form(prober, form)) return;
  if (op == Op::layernorm_bw && form.spelling == Spelling::tutorial) {
    if (!forward || !forward->accepted) return refuse(form, "without its forward there is no telling its eps");
    form.eps = forward->eps;
  }
  if (!find_form(prober, op, form)) return;
  if (op == Op::softmax_fw) find_mask(prober, form);
  probe_limits(prober, op, form);
}

}  // namespace torchlight::drop_ins
