#include "find_kernel.h"

#include "command.h"
#include "runtime/process.h"

namespace twin_command {
namespace {

/// "tile<32>" of "void q::tile<32>(float*)".
std::string called(const std::string& shown) {
  const std::string head = shown.substr(0, shown.find('('));
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < head.size(); ++k) {
    if (head[k] == '<') ++depth;
    if (head[k] == '>') --depth;
    if (head[k] == ' ' && depth == 0) begin = k + 1;
  }
  return head.substr(begin);
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Types from the name where it has them, as they are those of an instance; names from the source.
Signature signature(const std::string& file, const twin::LoadedKernel& kernel, const std::string& name,
                    const std::vector<std::string>& compile) {
  const std::string dump = twin::Process::get().toolchain().syntax({file, compile, true}, name);
  std::vector<Type> types;
  const bool mangled = types_of(kernel.shown, &types);
  const std::size_t count = kernel.parameter_sizes.size();
  Signature chosen{name, {}};
  for (const Signature& one : signatures_in(dump, name))
    if (one.parameters.size() == count) chosen = one;
  chosen.parameters.resize(count);
  for (std::size_t k = 0; mangled && types.size() == count && k < count; ++k)
    chosen.parameters[k].type = types[k];
  return chosen;
}

}  // namespace

Found find_kernel(const std::vector<Module>& modules, const std::string& name,
                  const std::vector<std::string>& compile) {
  std::vector<Found> fitting;
  std::string all;
  for (const auto& [file, module] : modules) {
    for (const std::string& symbol : module->kernels()) {
      const twin::LoadedKernel* kernel = module->kernel(symbol);
      all += "\n  " + kernel->shown;
      const std::string full = without_spaces(called(kernel->shown)), wanted = without_spaces(name);
      const std::string plain = full.substr(0, full.find('<')),
                        last = plain.substr(plain.rfind(':') + 1);
      if (symbol != name && full != wanted && plain != wanted && last != wanted) continue;
      fitting.push_back({module, kernel, signature(file, *kernel, last, compile)});
    }
  }
  if (all.empty())
    throw BadInput("there are no kernels in it; a template is one only where it is instantiated");
  if (fitting.empty()) throw BadInput("there is no kernel " + name + "; there are" + all);
  if (fitting.size() > 1) {
    std::string list;
    for (const Found& one : fitting) list += "\n  " + one.kernel->shown;
    throw BadInput("there are several kernels " + name + "; say which:" + list);
  }
  return fitting[0];
}

}  // namespace twin_command
