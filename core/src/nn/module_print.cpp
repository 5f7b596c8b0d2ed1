#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <typeinfo>

#include <torchlight/nn/module.h>

namespace torchlight::nn {
namespace {

std::string demangled(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : mangled;
}

// Lines after the first move right by two.
std::string indented(const std::string& lines) {
  std::string result;
  for (const char c : lines) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

}  // namespace

std::string Module::type_name() const {
  const std::string full = demangled(typeid(*this).name());
  const std::string plain = full.substr(0, full.find('<'));
  const std::size_t colon = plain.rfind(':');
  return colon == std::string::npos ? plain : plain.substr(colon + 1);
}

std::string Module::extra_repr() const { return ""; }

std::string Module::str() const {
  if (children().empty()) return type_name() + "(" + extra_repr() + ")";
  std::string result = type_name() + "(\n";
  if (!extra_repr().empty()) result += "  " + indented(extra_repr()) + "\n";
  for (const auto& [name, module] : children())
    result += "  (" + name + "): " + indented(module->str()) + "\n";
  return result + ")";
}

std::ostream& operator<<(std::ostream& out, const Module& module) { return out << module.str(); }

}  // namespace torchlight::nn
