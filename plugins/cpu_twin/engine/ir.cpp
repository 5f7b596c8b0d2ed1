#include "engine/ir.h"

#include <bit>
#include <vector>

namespace twin {
namespace {

std::string hexadecimal(uint64_t bits) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789ABCDEF"[bits >> shift & 15];
  return digits;
}

/// "v32f32", "i64": how intrinsics are named after their types.
std::string mangled(const Value& value) {
  std::string type = value.type;
  if (type == "float") type = "f32";
  if (type == "double") type = "f64";
  if (type == "half") type = "f16";
  return value.wide ? "v32" + type : type;
}

}  // namespace

Value Ir::result(std::string_view type, bool wide, std::string_view text) {
  Value made{fresh(), std::string(type), wide};
  line(cat(made.name, " = ", text));
  return made;
}

Value Ir::real(std::string_view type, uint64_t bits) {
  // LLVM writes a float as the double of the same value; a NaN's payload would be lost on the way.
  if (type == "double") return {cat("0x", hexadecimal(bits)), std::string(type)};
  return this->bits({std::to_string(static_cast<uint32_t>(bits)), "i32"}, "float");
}

Value Ir::widen(const Value& value) {
  if (value.wide) return value;
  const std::string vector = cat("<32 x ", value.type, ">");
  const Value first =
      result(value.type, true, cat("insertelement ", vector, " undef, ", value.typed(), ", i32 0"));
  return result(
      value.type, true,
      cat("shufflevector ", first.typed(), ", ", vector, " undef, <32 x i32> zeroinitializer"));
}

Value Ir::binary(std::string_view op, Value a, Value b, std::string_view flags) {
  if (a.wide || b.wide) a = widen(a), b = widen(b);
  return result(a.type, a.wide, cat(op, " ", flags, a.typed(), ", ", b.name));
}

Value Ir::unary(std::string_view op, const Value& a) {
  return result(a.type, a.wide, cat(op, " ", a.typed()));
}

Value Ir::compare(std::string_view op, Value a, Value b) {
  if (a.wide || b.wide) a = widen(a), b = widen(b);
  return result("i1", a.wide, cat(op, " ", a.typed(), ", ", b.name));
}

Value Ir::select(Value condition, Value yes, Value no) {
  if (condition.wide || yes.wide || no.wide) {
    yes = widen(yes), no = widen(no);
    condition = widen(condition);
  }
  return result(yes.type, yes.wide,
                cat("select ", condition.typed(), ", ", yes.typed(), ", ", no.typed()));
}

Value Ir::convert(std::string_view op, const Value& value, std::string_view type) {
  if (value.type == type) return value;
  const std::string to = value.wide ? cat("<32 x ", type, ">") : std::string(type);
  return result(type, value.wide, cat(op, " ", value.typed(), " to ", to));
}

Value Ir::intrinsic(std::string_view name, std::initializer_list<Value> operands,
                    std::string_view tail) {
  std::vector<Value> list(operands);
  bool wide = false;
  for (const Value& value : list) wide = wide || value.wide;
  std::string arguments, types;
  for (Value& value : list) {
    if (wide) value = widen(value);
    if (!arguments.empty()) arguments += ", ", types += ", ";
    arguments += value.typed();
    types += value.full();
  }
  if (!tail.empty()) {
    arguments += cat(", ", tail);
    types += cat(", ", tail.substr(0, tail.find(' ')));
  }
  const std::string callee = cat("@llvm.", name, ".", mangled(list[0]));
  declare(cat("declare ", list[0].full(), " ", callee, "(", types, ")"));
  return result(list[0].type, wide, cat("call ", list[0].full(), " ", callee, "(", arguments, ")"));
}

Value Ir::iota(std::string_view type) {
  std::string text = "<";
  for (int i = 0; i < 32; ++i) text += cat(i ? ", " : "", type, " ", i);
  return {text + ">", std::string(type), true};
}

Value Ir::lane(const Value& value, const Value& index) {
  if (!value.wide) return value;
  return result(value.type, false, cat("extractelement ", value.typed(), ", ", index.typed()));
}

Value Ir::shuffle(const Value& a, const Value& b, std::string_view indices, unsigned count) {
  return result(a.type, true,
                cat("shufflevector ", a.typed(), ", ", b.typed(), ", <", count, " x i32> ", indices));
}

Value Ir::load(std::string_view type, std::string_view pointer, unsigned align) {
  const bool wide = type.starts_with('<');
  const std::string_view one = wide ? type.substr(6, type.size() - 7) : type;  // "<32 x T>"
  return result(one, wide, cat("load ", type, ", ptr ", pointer, ", align ", align));
}

void Ir::store(const Value& value, std::string_view pointer, unsigned align) {
  line(cat("store ", value.typed(), ", ptr ", pointer, ", align ", align));
}

std::string Ir::at(std::string_view base, int64_t bytes) {
  if (bytes == 0) return std::string(base);
  return result("ptr", false, cat("getelementptr i8, ptr ", base, ", i64 ", bytes)).name;
}

std::string Ir::pointer(const Value& address) {
  return result("ptr", false, cat("inttoptr ", address.typed(), " to ptr")).name;
}

Value Ir::call(std::string_view type, bool wide, std::string_view rest) {
  const std::string full = wide ? cat("<32 x ", type, ">") : std::string(type);
  if (type == "void") {
    line(cat("call void ", rest));
    return {};
  }
  return result(type, wide, cat("call ", full, " ", rest));
}

Value Ir::bit_of(const Value& mask) {
  if (!mask.wide) return select(mask, {"-1", "i32"}, {"0", "i32"});
  return result("i32", false, cat("bitcast ", mask.typed(), " to i32"));
}

void Ir::declare(const std::string& text) {
  if (declarations_.find(text) == std::string::npos) declarations_ += text + "\n";
}

}  // namespace twin
