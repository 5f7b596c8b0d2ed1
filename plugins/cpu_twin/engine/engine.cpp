#include "engine/engine.h"

#include <algorithm>
#include <unordered_set>

#include "engine/writer.h"
#include "error.h"

namespace twin {
namespace {

int64_t aligned(int64_t offset, uint64_t align) {
  const auto a = static_cast<int64_t>(align);
  return (offset + a - 1) / a * a;
}

void place(SharedLayout& layout, const ptx::Variable& variable, int64_t gap) {
  if (variable.space != ptx::Space::shared || (variable.external && variable.bytes == 0)) return;
  layout.bytes = aligned(layout.bytes ? layout.bytes + gap : 0, variable.align);
  layout.offsets[variable.name] = layout.bytes;
  layout.bytes += static_cast<int64_t>(variable.bytes);
}

void add_names(std::unordered_set<std::string>& names, const ptx::Operand& operand) {
  if (!operand.name.empty()) names.insert(operand.name);
  for (const ptx::Operand& item : operand.items) add_names(names, item);
}

}  // namespace

SharedLayout shared_layout_of(const ptx::Module& module, size_t kernel, bool apart) {
  const int64_t gap = apart ? 256 : 0;
  std::unordered_set<std::string> named;
  for (const size_t index : reachable(module, kernel))
    for (const ptx::Instruction& i : module.functions[index].code)
      for (const ptx::Operand& operand : i.operands) add_names(named, operand);
  SharedLayout layout;
  const auto add = [&](const ptx::Variable& variable) {
    if (named.count(variable.name)) place(layout, variable, gap);
  };
  for (const ptx::Variable& variable : module.variables) add(variable);
  for (const ptx::Function& function : module.functions)
    for (const ptx::Variable& variable : function.locals) add(variable);
  layout.bytes = aligned(layout.bytes ? layout.bytes + gap : 0, 128);
  // What the launch adds is one piece, whatever names it has.
  for (const ptx::Variable& variable : module.variables)
    if (variable.space == ptx::Space::shared && variable.external && variable.bytes == 0)
      layout.offsets[variable.name] = layout.bytes;
  return layout;
}

std::vector<uint32_t> parameter_offsets(const ptx::Function& kernel, uint32_t* bytes) {
  std::vector<uint32_t> offsets;
  int64_t at = 0;
  for (const ptx::Variable& parameter : kernel.parameters) {
    at = aligned(at, parameter.align);
    offsets.push_back(static_cast<uint32_t>(at));
    at += static_cast<int64_t>(parameter.bytes);
  }
  if (bytes) *bytes = static_cast<uint32_t>(at);
  return offsets;
}

std::vector<size_t> reachable(const ptx::Module& module, size_t kernel) {
  std::vector<size_t> found{kernel};
  const auto add = [&](size_t index) {
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
  };
  for (size_t at = 0; at < found.size(); ++at) {
    for (const ptx::Instruction& i : module.functions[found[at]].code) {
      for (const ptx::Operand& operand : i.operands) {
        if (i.opcode == "call" && operand.kind == ptx::Operand::Kind::reg) {
          for (size_t f = 0; f < module.functions.size(); ++f)
            if (module.functions[f].defined && !module.functions[f].kernel) add(f);
        }
        if (operand.kind != ptx::Operand::Kind::symbol) continue;
        for (size_t f = 0; f < module.functions.size(); ++f)
          if (module.functions[f].defined && !module.functions[f].kernel &&
              module.functions[f].name == operand.name)
            add(f);
      }
    }
  }
  return found;
}

Compiled compile_kernel(const ptx::Module& module, size_t kernel, const Options& options) {
  const SharedLayout shared = shared_layout_of(module, kernel, options.checks);
  Compiled made;
  std::string declarations, definitions;
  for (const size_t index : reachable(module, kernel)) {
    ptx::Function function = module.functions[index];
    unguard(function);
    Options own = options;
    if (!function.kernel) own.shape = {};
    Writer writer(module, function, shared, own);
    const std::string symbol = cat("twin_code_", index);
    definitions += writer.write(symbol);
    declarations += writer.declarations();
    made.functions.push_back({index, symbol, writer.frame_bytes(), writer.results_bytes()});
  }
  // One declaration each, however many functions need it.
  std::vector<std::string_view> lines;
  for (std::string_view rest = declarations; !rest.empty();) {
    const size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  for (const std::string_view line : lines) made.ir.append(line).append("\n");
  made.ir += definitions;
  // 512-bit registers where the processor has them, whatever it prefers for code of other kinds.
  made.ir +=
      "attributes #0 = { nounwind \"min-legal-vector-width\"=\"512\" \"prefer-vector-width\"=\"512\" "
      "\"no-trapping-math\"=\"true\" }\n";
  return made;
}

}  // namespace twin
