#include "ptx/module.h"

#include <algorithm>
#include <array>
#include <utility>

namespace twin::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, Type>, 20> names = {{
    {"pred", Type::pred}, {"b8", Type::u8},    {"b16", Type::u16},     {"b32", Type::u32},
    {"b64", Type::u64},   {"u8", Type::u8},    {"u16", Type::u16},     {"u32", Type::u32},
    {"u64", Type::u64},   {"s8", Type::s8},    {"s16", Type::s16},     {"s32", Type::s32},
    {"s64", Type::s64},   {"f16", Type::f16},  {"bf16", Type::bf16},   {"f32", Type::f32},
    {"f64", Type::f64},   {"tf32", Type::f32}, {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2},
}};

}  // namespace

Type type_of(std::string_view name) {
  if (name.empty()) return Type::none;
  const auto* found =
      std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
  return found == names.end() ? Type::none : found->second;
}

unsigned bits_of(Type type) {
  switch (type) {
    case Type::none: return 0;
    case Type::pred: return 1;
    case Type::u8:
    case Type::s8: return 8;
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16: return 16;
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2: return 32;
    case Type::u64:
    case Type::s64:
    case Type::f64: return 64;
  }
  return 0;
}

bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Type Instruction::type(unsigned nth) const {
  for (auto word = modifiers.rbegin(); word != modifiers.rend(); ++word) {
    const Type type = type_of(*word);
    if (type != Type::none && nth-- == 0) return type;
  }
  return Type::none;
}

Space Instruction::space() const {
  for (const std::string& word : modifiers) {
    if (word == "global") return Space::global;
    if (word == "shared") return Space::shared;
    if (word == "local") return Space::local;
    if (word == "const") return Space::constant;
    if (word == "param") return Space::param;
  }
  return Space::generic;
}

const Function* Module::function(std::string_view name) const {
  const Function* declared = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (function.defined) return &function;
    declared = &function;
  }
  return declared;
}

const Variable* Module::variable(std::string_view name) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const Variable& v) { return v.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

}  // namespace twin::ptx
