#include "type.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace twin_command {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '(' || c == '{' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == '}' || c == ']' || c == '>') --depth;
    if (c == at && depth == 0)
      parts.push_back(trimmed(part)), part.clear();
    else
      part += c;
  }
  if (!parts.empty() || !trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

Type type_of(const std::string& text) {
  Type type;
  for (const char c : trimmed(text)) {  // "float *" is shown as people write it
    if (c == '*' && type.text.ends_with(' ')) type.text.pop_back();
    type.text += c;
  }
  std::string base = type.text;
  const std::size_t star = base.find('*');
  type.pointer = star != base.npos;
  if (type.pointer) base = base.substr(0, star);
  std::istringstream words(base);
  std::string plain;
  bool is_unsigned = false, integer = false;
  int longs = 0;
  for (std::string word; words >> word;) {
    if (word == "const")
      type.constant = true;
    else if (word == "volatile" || word == "struct" || word == "__restrict" || word == "__restrict__")
      continue;
    else if (word == "unsigned")
      is_unsigned = integer = true;
    else if (word == "signed")
      integer = true;
    else if (word == "long")
      ++longs, integer = true;
    else if (word == "int")
      integer = true;
    else
      plain += (plain.empty() ? "" : " ") + word;
  }
  if (plain == "double" || plain == "float") longs = 0;
  if (plain == "char")
    plain = is_unsigned ? "u8" : "i8";
  else if (plain == "short")
    plain = is_unsigned ? "u16" : "i16";
  else if (plain.empty() && longs)
    plain = is_unsigned ? "u64" : "i64";
  else if (plain.empty() && integer)
    plain = is_unsigned ? "u32" : "i32";
  static const std::regex fixed("u?int(8|16|32|64)_t");
  if (plain == "size_t") plain = "u64";
  if (std::regex_match(plain, fixed))
    plain = (plain[0] == 'u' ? "u" : "i") +
            plain.substr(plain.find('t') + 1, plain.size() - plain.find('t') - 3);
  if (plain == "__half" || plain == "half" || plain == "half2" || plain == "__half2") plain = "f16";
  if (plain == "__nv_bfloat16" || plain == "__nv_bfloat162") plain = "bf16";
  // float4, uint2, … are arrays of their parts.
  if (plain.size() > 1 && plain.back() >= '1' && plain.back() <= '4') {
    const std::string part = plain.substr(0, plain.size() - 1);
    static const char* const names[][2] = {{"float", "f32"},  {"double", "f64"},    {"int", "i32"},
                                           {"uint", "u32"},   {"long", "i64"},      {"longlong", "i64"},
                                           {"ulong", "u64"},  {"ulonglong", "u64"}, {"short", "i16"},
                                           {"ushort", "u16"}, {"char", "i8"},       {"uchar", "u8"}};
    for (const auto& [vector, element] : names)
      if (part == vector && type.pointer) plain = element;
  }
  type.element = element_of(plain);
  return type;
}

std::string shown(const Signature& signature) {
  std::string text = signature.name + "(";
  for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
    const Parameter& one = signature.parameters[k];
    text += (k ? ", " : "") + one.type.text + (one.name.empty() ? "" : " " + one.name);
  }
  return text + ")";
}

std::vector<Signature> signatures_in(const std::string& dump, const std::string& name) {
  static const std::regex function("^([|` -]*)FunctionDecl .* ([A-Za-z_][A-Za-z_0-9]*) '(.*)'.*$");
  static const std::regex parameter(
      "^([|` -]*)ParmVarDecl .*?(?: ([A-Za-z_][A-Za-z_0-9]*))? '([^']*)'(?::'([^']*)')?.*$");
  static const std::regex position("<[^<>]*<?[^<>]*>?[^<>]*>");
  std::vector<Signature> found;
  std::istringstream lines(dump);
  std::size_t depth = std::string::npos;
  bool in_template = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.starts_with("FunctionTemplateDecl"))
      in_template = true;
    else if (line.starts_with("Dumping"))
      in_template = false;
    if (line.find("FunctionDecl ") != line.npos && std::regex_match(line, match, function)) {
      depth = match[2] == name ? match[1].length() : std::string::npos;
      if (depth == std::string::npos) continue;
      found.push_back({name, {}, in_template && depth > 0});
      in_template = false;  // what follows are its instances
    } else if (depth != std::string::npos && line.find("ParmVarDecl ") != line.npos &&
               std::regex_match(line, match, parameter)) {
      if (static_cast<std::size_t>(match[1].length()) != depth + 2) continue;
      std::string words = match[2];
      for (const char* state : {"used", "referenced", "col", "line", "invalid"})
        if (words == state) words.clear();
      // Behind the colon stands what an alias means.
      const std::string text = match[3], meant = match[4].matched ? std::string(match[4]) : text;
      Type type = type_of(meant);
      if (!type.element) type.element = type_of(text).element;
      type.text = type_of(text).text;
      found.back().parameters.push_back({type, words});
    }
  }
  // Declared and defined: once is enough.
  std::vector<Signature> unique;
  for (Signature& one : found) {
    const auto same = [&](const Signature& other) {
      return shown(other) == shown(one) && other.generic == one.generic;
    };
    if (std::none_of(unique.begin(), unique.end(), same)) unique.push_back(std::move(one));
  }
  return unique;
}

Signature signature_of(const std::string& declaration) {
  const std::size_t open = declaration.find('(');
  std::string head = trimmed(declaration.substr(0, open));
  Signature signature{head.substr(head.rfind(' ') + 1), {}};
  for (const std::string& part :
       split(declaration.substr(open + 1, declaration.rfind(')') - open - 1))) {
    const std::size_t end = part.find_last_of(" *");
    signature.parameters.push_back({type_of(part.substr(0, end + 1)), part.substr(end + 1)});
  }
  return signature;
}

bool types_of(const std::string& readable, std::vector<Type>* types) {
  if (readable.empty() || readable.back() != ')') return false;
  int depth = 0;
  std::size_t open = readable.size();
  while (open > 0) {
    --open;
    if (readable[open] == ')') ++depth;
    if (readable[open] == '(' && --depth == 0) break;
  }
  types->clear();
  for (const std::string& part : split(readable.substr(open + 1, readable.size() - open - 2))) {
    // "float const*" is how names are shown.
    types->push_back(type_of(part));
  }
  return true;
}

}  // namespace twin_command
