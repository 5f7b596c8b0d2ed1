// C++ types as clang shows them, as far as arguments of kernels have them.
#pragma once

#include <string>
#include <vector>

#include "array.h"

namespace twin_command {

/// "const float4 *__restrict": a pointer to const floats.
struct Type {
  std::string text;
  bool pointer = false;
  bool constant = false;           ///< what it points to
  std::optional<Element> element;  ///< of a number, or of what it points to; of a float4, float
};
Type type_of(const std::string& text);

struct Parameter {
  Type type;
  std::string name;  ///< may be empty
};

struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
  bool generic = false;  ///< of a template itself
};
/// "softmax(const float* x, int n)"
std::string shown(const Signature& signature);

/// All functions of that name, without the scopes around it, in a dump of clang's syntax tree.
std::vector<Signature> signatures_in(const std::string& dump, const std::string& name);
/// Of a declaration as people write it: "void solve(const float* A, int N)".
Signature signature_of(const std::string& declaration);
/// The types of "void softmax<256>(float*, int)"; false where the name has none.
bool types_of(const std::string& readable, std::vector<Type>* types);

/// Splits at commas that stand in no brackets, and trims.
std::vector<std::string> split(const std::string& text, char at = ',');
std::string trimmed(const std::string& text);

}  // namespace twin_command
