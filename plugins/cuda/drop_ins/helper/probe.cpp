#include "probe.h"

#include <bit>

#include "../functions.h"

namespace torchlight::drop_ins {
namespace {

/// Each by itself, with all values: what a library doesn't know it computes as something else without a
/// word.
template <std::size_t n>
void try_functions(Steps& steps, Form& form, const Function (&functions)[n], Call call) {
  std::vector<Step> trials;
  for (std::uint32_t i = 0; i < n; ++i) {
    call.fn = i;
    trials.push_back({Step::known_numbers, form, call});
  }
  const auto verdicts = steps.run(trials, true);
  std::string wrong;
  for (std::size_t i = 0; i < n; ++i) {
    const auto right = [&](std::size_t k) { return verdicts[k].kind == Verdict::right; };
    if (right(i)) form.functions |= 1u << i;
    bool told = right(i);  // or the same function is, with its operands in the other order
    for (std::size_t k = 0; k < n; ++k)
      if (functions[k].id == functions[i].id) told |= right(k) || k < i;
    if (!told)
      wrong += (wrong.empty() ? "not used: " : "; ") + std::string(functions[i].name) + " (" +
               verdicts[i].text + ")";
  }
  form.accepted = form.functions != 0;
  put_text(form.reason, form.accepted ? wrong : std::string(verdicts[0].text));
}

/// How many elements a launcher does at once.
void find_stretch(Steps& steps, Op op, Form& form) {
  const auto fn = static_cast<std::uint32_t>(std::countr_zero(form.functions));
  for (const int n : {1 << 20, 1 << 15}) {
    form.most_rows = n;
    if (steps.run_one({Step::known_numbers, form, {op, fn, {n, 0, 0, 0}}}).kind == Verdict::right)
      return;
  }
  form.most_rows = 1000;  // with which all was tried
}

}  // namespace

void refuse(Form& form, const std::string& reason) {
  form.accepted = 0;
  put_text(form.reason, reason);
}

void probe_functions(Steps& steps, Op op, Form& form) {
  form.most_rows = 1024;
  if (op == Op::map) try_functions(steps, form, map_functions, {op, 0, {1000, 0, 0, 0}});
  if (op == Op::zip) try_functions(steps, form, zip_functions, {op, 0, {1000, 0, 0, 0}});
  if (op == Op::reduce) try_functions(steps, form, reduce_functions, {op, 0, {33, 20, 0, 0}});
  if (!form.accepted) return;
  if (op == Op::reduce) return probe_limits(steps, op, form);
  find_stretch(steps, op, form);
}

void probe_matmul(Steps& steps, Form& form) {
  const auto call = [](int batch, int m, int k, int n) {
    return Call{Op::matmul, 0, {batch, m, k, n}};
  };
  const auto wrong = [&](const std::vector<Step>& trials) {
    for (const Verdict& verdict : steps.run(trials))
      if (verdict.kind != Verdict::right) return std::string(verdict.text);
    return std::string();
  };
  std::vector<Step> square, oblong;
  for (const Call& c : {call(1, 4, 4, 4), call(1, 33, 33, 33), call(3, 70, 45, 70), call(1, 1, 5, 1),
                        call(2, 128, 100, 128)})
    square.push_back({Step::known_numbers, form, c});
  for (const Call& c : {call(1, 3, 20, 150), call(1, 150, 20, 3), call(2, 1, 64, 300),
                        call(2, 300, 7, 1), call(2, 65, 33, 31)})
    oblong.push_back({Step::known_numbers, form, c});
  const std::string fault = wrong(square);
  if (!fault.empty()) return refuse(form, fault);
  const std::string oblong_fault = wrong(oblong);
  form.square_only = !oblong_fault.empty();
  form.accepted = 1;
  form.most_rows = form.most_columns = 1 << 24;
  put_text(form.reason, oblong_fault);
}

Description probe(const std::string& path, Family family, const Limits& limits) {
  Description found;
  Steps steps(path, family, limits);
  // What a file needs is asked before its code runs; opening it runs its constructors.
  const Verdict driver = steps.run_one({Step::driver});
  if (driver.kind != Verdict::right) return put_text(found.reason, driver.text), found;
  const Verdict opened = steps.run_one({Step::exports});
  if (opened.kind == Verdict::ended)
    return put_text(found.reason, "while it was loaded " + std::string(opened.text)), found;
  if (opened.kind != Verdict::right) return put_text(found.reason, opened.text), found;

  for (int i = 0; i < op_count; ++i) {
    const Op op = Op(i);
    Form& form = found.forms[i];
    if (family_of(op) != family) continue;
    const int exports = int(opened.numbers[0]) >> (2 * i) & 3;
    if (exports == 0) {
      refuse(form, std::string("it doesn't export ") + launcher_name(op, Spelling::launch));
      continue;
    }
    form.spelling = exports == 1 ? Spelling::launch : Spelling::tutorial;
    if (op <= Op::layernorm_bw)
      probe_rows(steps, op, form, op == Op::layernorm_bw ? &found.forms[i - 1] : nullptr);
    else if (op == Op::matmul)
      probe_matmul(steps, form);
    else
      probe_functions(steps, op, form);
  }
  return found;
}

}  // namespace torchlight::drop_ins
