#include "checks.h"

#include <algorithm>

namespace torchlight::test {
namespace {

std::string first_fault(const Execution& execution) {
  return execution.faults.empty() ? std::string() : execution.faults.front();
}

/// A later run of the same case, compared with the first one or with the reference.
std::string compare_again(const Trial& trial, const Execution& again) {
  if (!again.faults.empty()) return first_fault(again);
  const bool promises_bits =
      !is_primitive(trial.c.op) || trial.first.support.traits & TL_TRAIT_REPEATABLE;
  if (promises_bits) return again.outputs == trial.first.outputs ? "" : "gave other bits";
  return trial.want.empty() ? "" : compare(trial.c, trial.want, again);
}

bool may_hold_output(const Operand& input, const Operand& output) {
  if (!input.present || input.dtype != output.dtype || input.layout.extent != output.layout.extent)
    return false;
  for (std::size_t k = 0; k < input.layout.extent.size(); ++k) {
    if (input.layout.stride[k] == 0 && input.layout.extent[k] > 1) return false;
  }
  return true;
}

bool has_one_output(Op op) { return is_primitive(op) && op != Op::matmul && op != Op::layernorm_bw; }

/// The case of one element of an elementwise case.
Case single(const Case& c) {
  Case one = c;
  for (Operand& operand : one.operands) {
    if (operand.present) operand.layout = arrange({1});
  }
  return one;
}

Arrays element(const Arrays& arrays, std::size_t i) {
  Arrays result(arrays.size());
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].present() && !arrays[k].at.empty())
      result[k] = {arrays[k].dtype, {1}, {arrays[k].at[i]}};
  }
  return result;
}

}  // namespace

std::string check_values(Stage&, const Trial& trial) {
  if (!trial.first.faults.empty()) return first_fault(trial.first);
  return trial.want.empty() ? "" : compare(trial.c, trial.want, trial.first);
}

std::string check_repeatable(Stage& stage, const Trial& trial) {
  struct Variant {
    const char* name;
    Circumstances how;
  };
  const Variant variants[] = {
      {"again", {}},
      {"at the begin of a page", {{Placement::at_begin, 0}, {}}},
      {"16 bytes further", {{Placement::at_begin, 16}, {}}},
      {"with the pieces in the opposite order", {{}, {1, true}}},
      {"with 2 threads", {{}, {2, false}}},
      {"with 8 threads", {{Placement::at_begin, 0}, {8, false}}},
  };
  for (const Variant& variant : variants) {
    const std::string text = compare_again(trial, stage.run(trial.c, trial.arrays, variant.how));
    if (!text.empty()) return std::string(variant.name) + ": " + text;
  }
  return {};
}

std::string check_in_place(Stage& stage, const Trial& trial) {
  if (!has_one_output(trial.c.op)) return {};
  const std::size_t out = slot(trial.c.op, "output");
  for (std::size_t i = 0; i < trial.c.operands.size(); ++i) {
    if (slots(trial.c.op)[i].is_output || !may_hold_output(trial.c.operands[i], trial.c.operands[out]))
      continue;
    Case c = trial.c;
    c.operands[out].layout = c.operands[i].layout;
    // The plug-in is asked about exactly these views.
    const Execution apart = stage.run(c, trial.arrays);
    if (apart.supported != TL_OK || !(apart.support.traits & TL_TRAIT_IN_PLACE)) continue;
    Circumstances how;
    how.in_place_of = static_cast<int>(i);
    const Execution together = stage.run(c, trial.arrays, how);
    std::string text = first_fault(together);
    if (text.empty() && !trial.want.empty()) text = compare(c, trial.want, together);
    if (!text.empty()) return std::string("in place of ") + slots(c.op)[i].name + ": " + text;
  }
  return {};
}

std::string check_fresh(Stage& stage, const Trial& trial) {
  if (trial.want.empty() || slots(trial.c.op)[0].is_output || !trial.c.operands[0].present) return {};
  const auto again = [&](const char* what, const Case& c, const Arrays& arrays) -> std::string {
    const Execution execution = stage.run(c, arrays);
    std::string text = first_fault(execution);
    if (text.empty() && execution.status == TL_OK)
      text = compare(c, reference::evaluate(c, arrays), execution);
    return text.empty() ? text : std::string(what) + ": " + text;
  };
  Case other = trial.c;
  other.seed += 1'000'003;
  const Arrays others = make_arrays(other);
  if (std::string text = again("with other values", other, others); !text.empty()) return text;
  const Layout& layout = trial.c.operands[0].layout;
  const std::size_t n = trial.arrays[0].at.size();
  if (n == 0) return {};
  for (std::size_t k = 0; k < layout.extent.size(); ++k)
    if (layout.stride[k] == 0 && layout.extent[k] > 1) return {};  // no element stands alone
  for (const std::size_t i : {n - 1, n / 2}) {
    Arrays changed = trial.arrays;
    changed[0].at[i] = others[0].at[i];
    if (std::string text = again("with one element changed", trial.c, changed); !text.empty())
      return text;
  }
  return {};
}

std::string check_finished(Stage& stage, const Trial& trial) {
  if (stage.plugin().is_host()) return {};
  Circumstances how;
  how.overwrites_inputs = true;
  const std::string text = compare_again(trial, stage.run(trial.c, trial.arrays, how));
  return text.empty() ? text : "with other inputs as soon as stream_sync had returned: " + text;
}

std::string check_positions(Stage& stage, const Trial& trial) {
  const bool elementwise = trial.c.op == Op::map || trial.c.op == Op::zip;
  const Operand& output = trial.c.operands.back();
  if (!elementwise || output.layout.extent.size() != 1) return {};
  if (trial.c.op == Op::map && !trial.c.operands[0].present) return {};  // a position's own value
  const std::size_t size = size_of(output.dtype);
  const std::vector<std::byte>& row = trial.first.outputs.back();
  const std::size_t n = row.size() / size;
  const Case one = single(trial.c);
  for (std::size_t i = 0; i < n; i += i < 16 || i + 16 > n ? 1 : 61) {
    const Execution alone = stage.run(one, element(trial.arrays, i));
    if (!alone.faults.empty()) return "one element: " + first_fault(alone);
    if (alone.status == TL_OK &&
        !std::equal(alone.outputs.back().begin(), alone.outputs.back().end(), &row[i * size])) {
      return "element " + std::to_string(i) + " of " + std::to_string(n) +
             " gets other bits when it stands alone";
    }
  }
  return {};
}

}  // namespace torchlight::test
