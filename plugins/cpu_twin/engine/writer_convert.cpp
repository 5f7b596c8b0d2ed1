// mov, comparisons, selection, conversions.
#include <unordered_map>

#include "engine/writer.h"

namespace twin {

using ptx::bits_of;
using ptx::is_float;
using ptx::is_signed;

bool Writer::conversion() {
  const std::string& op = at_->opcode;
  if (op == "mov") return move(), true;
  if (op == "setp" || op == "set") return compare(), true;
  if (op == "selp" || op == "slct") return select_value(), true;
  if (op == "cvt") return convert(), true;
  if (op == "cvta") {  // all spaces are the host's memory
    const Type type = at_->type();
    return set(get(1, type), type), true;
  }
  if (op == "testp") {
    const Type type = at_->type();
    const Value a = get(1, type);
    if (at_->has("notanumber")) return set(ir_.compare("fcmp uno", a, a), Type::pred), true;
    if (at_->has("number")) return set(ir_.compare("fcmp ord", a, a), Type::pred), true;
    const Value size = ir_.intrinsic("fabs", {a});
    const Value infinity = ir_.bits(
        {a.type == "double" ? "9218868437227405312" : "2139095040", a.type == "double" ? "i64" : "i32"},
        a.type);
    if (at_->has("infinite")) return set(ir_.compare("fcmp oeq", size, infinity), Type::pred), true;
    if (at_->has("finite")) return set(ir_.compare("fcmp olt", size, infinity), Type::pred), true;
    unknown();
  }
  return false;
}

void Writer::move() {
  const Type type = at_->type();
  if (type == Type::pred) return set(get_predicate(operand(1)), type);
  set(get(1, type), type);
}

Value Writer::compared(const Value& a, const Value& b, Type type, const std::string& how) {
  if (is_float(type)) {
    static const std::unordered_map<std::string, const char*> names = {
        {"eq", "oeq"},  {"ne", "one"},  {"lt", "olt"},  {"le", "ole"},  {"gt", "ogt"},
        {"ge", "oge"},  {"equ", "ueq"}, {"neu", "une"}, {"ltu", "ult"}, {"leu", "ule"},
        {"gtu", "ugt"}, {"geu", "uge"}, {"num", "ord"}, {"nan", "uno"}};
    const auto found = names.find(how);
    if (found == names.end()) unknown();
    return ir_.compare(cat("fcmp ", found->second), a, b);
  }
  static const std::unordered_map<std::string, const char*> plain = {
      {"eq", "eq"}, {"ne", "ne"}, {"lo", "ult"}, {"ls", "ule"}, {"hi", "ugt"}, {"hs", "uge"}};
  static const std::unordered_map<std::string, const char*> ordered = {
      {"lt", "lt"}, {"le", "le"}, {"gt", "gt"}, {"ge", "ge"}};
  if (const auto found = plain.find(how); found != plain.end())
    return ir_.compare(cat("icmp ", found->second), a, b);
  const auto found = ordered.find(how);
  if (found == ordered.end()) unknown();
  return ir_.compare(cat("icmp ", is_signed(type) ? "s" : "u", found->second), a, b);
}

/// setp.lt.s32 p|q, a, b  and  setp.lt.and.s32 p, a, b, c; set gives 1.0, or all ones.
void Writer::compare() {
  const Type type = at_->type();
  const std::string& how = at_->modifiers.at(0);
  const auto combined = [&](Value truth) {
    for (const char* op : {"and", "or", "xor"})
      if (at_->has(op)) truth = ir_.binary(op, truth, get_predicate(operand(3)));
    return truth;
  };
  const bool pairs = type == Type::f16x2 || type == Type::bf16x2;
  const Type one_type = type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
  const auto of_half = [&](int half) {
    half_ = half;
    const Value a = operand_float(1, one_type), b = operand_float(2, one_type);
    half_ = -1;
    return combined(compared(a, b, one_type, how));
  };
  if (at_->opcode == "set") {
    if (pairs) unknown();
    const Value truth =
        combined(is_float(type) ? compared(operand_float(1, type), operand_float(2, type), type, how)
                                : compared(get(1, type), get(2, type), type, how));
    const Type result = at_->type(1);
    if (is_float(result)) return set(ir_.convert("uitofp", truth, of(result)), result);
    return set(ir_.convert("sext", truth, "i32"), Type::u32);
  }
  const Operand& to = operand(0);
  if (pairs) {
    const Value low = of_half(0), high = of_half(1);
    set(to.kind == Operand::Kind::pair ? to.items[0] : to, low, Type::pred);
    if (to.kind == Operand::Kind::pair) set(to.items[1], high, Type::pred);
    return;
  }
  const Value plain = is_float(type)
                          ? compared(operand_float(1, type), operand_float(2, type), type, how)
                          : compared(get(1, type), get(2, type), type, how);
  if (to.kind != Operand::Kind::pair) return set(to, combined(plain), Type::pred);
  const Value yes = combined(plain), no = combined(ir_.binary("xor", plain, {"true", "i1"}));
  set(to.items[0], yes, Type::pred);
  set(to.items[1], no, Type::pred);
}

void Writer::select_value() {
  if (at_->opcode == "selp") {
    const Type type = at_->type();
    return set(ir_.select(get_predicate(operand(3)), get(1, type), get(2, type)), type);
  }
  const Type chosen = at_->type(),
             type = at_->type(1);  // slct.f32.s32 d, a, b, c: a where c is not negative
  const Value c = get(3, chosen);
  const Value yes = chosen == Type::f32
                        ? ir_.compare("fcmp oge", c, ir_.convert("sitofp", {"0", "i32"}, "float"))
                        : ir_.compare("icmp sge", c, {"0", "i32"});
  set(ir_.select(yes, get(1, type), get(2, type)), type);
}

Value Writer::bfloat_to_float(Ir& ir, const Value& bits) {
  return ir.bits(ir.binary("shl", ir.convert("zext", ir.bits(bits, "i16"), "i32"), {"16", "i32"}),
                 "float");
}

/// Rounded to nearest, ties to even; NaN stays NaN.
Value Writer::float_to_bfloat(Ir& ir, const Value& value) {
  const Value bits = ir.bits(value, "i32");
  const Value odd = ir.binary("and", ir.binary("lshr", bits, {"16", "i32"}), {"1", "i32"});
  const Value rounded = ir.binary("add", ir.binary("add", bits, {"32767", "i32"}), odd);
  const Value result = ir.select(ir.compare("fcmp uno", value, value), {"2147418112", "i32"}, rounded);
  return ir.convert("trunc", ir.binary("lshr", result, {"16", "i32"}), "i16");
}

Value Writer::to_float(const Value& value, Type from) {
  return from == Type::bf16 ? bfloat_to_float(ir_, value) : value;
}

Value Writer::from_float(const Value& value, Type to) {
  if (to == Type::bf16)
    return float_to_bfloat(ir_, value.type == "double" ? ir_.convert("fptrunc", value, "float")
                                                       : ir_.convert("fpext", value, "float"));
  const auto width = [](const std::string& type) {
    return type == "half" ? 16 : type == "float" ? 32 : 64;
  };
  const std::string type = of(to);
  if (width(value.type) == width(type)) return value;
  return ir_.convert(width(value.type) < width(type) ? "fpext" : "fptrunc", value, type);
}

Value Writer::round_to_integral(const Value& value) {
  if (at_->has("rni")) return ir_.intrinsic("rint", {value});
  if (at_->has("rmi")) return ir_.intrinsic("floor", {value});
  if (at_->has("rpi")) return ir_.intrinsic("ceil", {value});
  if (at_->has("rzi")) return ir_.intrinsic("trunc", {value});
  return value;
}

void Writer::convert() {
  if (at_->has("satfinite")) unknown();
  if (at_->operands.size() > 2) {  // cvt.rn.f16x2.f32 d, high, low
    if (at_->has("rz") || at_->has("relu")) unknown("(only rounding to nearest)");
    const Type to = at_->type(1);
    if (at_->type() != Type::f32 || (to != Type::f16x2 && to != Type::bf16x2)) unknown();
    const Type one = to == Type::f16x2 ? Type::f16 : Type::bf16;
    const auto half = [&](size_t k) {
      return ir_.convert("zext", ir_.bits(from_float(get(k, Type::f32), one), "i16"), "i32");
    };
    return set(ir_.binary("or", ir_.binary("shl", half(1), {"16", "i32"}), half(2)), Type::u32);
  }
  const Type to = at_->type(1), from = at_->type();
  const bool float_in = is_float(from), float_out = is_float(to);
  Value value = get(1, from == Type::bf16 ? Type::u16 : from);
  if (float_in) value = flush_denormals(to_float(value, from));
  if (float_in && float_out) {
    for (const char* mode : {"rm", "rp"})
      if (at_->has(mode)) unknown("(only rounding to nearest or to zero)");
    if (to == Type::bf16 && at_->has("relu")) unknown();
    const Value whole = round_to_integral(value);
    Value result = from_float(whole, to);
    if (at_->has("rz") && bits_of(to) < bits_of(from)) {
      if (to != Type::f32 && to != Type::f16) unknown();
      // Where rounding went away from zero, the neighbour towards it.
      const std::string bits = cat("i", bits_of(to));
      const Value back = ir_.convert("fpext", result, value.type);
      const Value away =
          ir_.compare("fcmp ogt", ir_.intrinsic("fabs", {back}), ir_.intrinsic("fabs", {value}));
      const Value nearer =
          ir_.bits(ir_.binary("sub", ir_.bits(result, bits), {"1", bits}), result.type);
      result = ir_.select(away, nearer, result);
    }
    return set(to == Type::bf16 ? result : finish(result, to), to);
  }
  if (float_in) {  // to the nearest integer that the type has
    const Value whole = round_to_integral(value);
    const std::string type = cat("i", bits_of(to));
    const std::string name =
        cat(is_signed(to) ? "fptosi" : "fptoui", ".sat.", whole.wide ? "v32" : "", type);
    Value result{ir_.fresh(), type, whole.wide};
    const std::string suffix = cat(whole.wide ? "v32" : "", whole.type == "float"    ? "f32"
                                                            : whole.type == "double" ? "f64"
                                                                                     : "f16");
    ir_.declare(cat("declare ", result.full(), " @llvm.", name, ".", suffix, "(", whole.full(), ")"));
    ir_.line(cat(result.name, " = call ", result.full(), " @llvm.", name, ".", suffix, "(",
                 whole.typed(), ")"));
    if (bits_of(to) == 64 || from == Type::f64) {  // NaN gives the highest bit alone, and 0 otherwise
      const std::string highest =
          std::to_string(static_cast<int64_t>(uint64_t{1} << (bits_of(to) - 1)));
      result = ir_.select(ir_.compare("fcmp uno", whole, whole), {highest, type}, result);
    }
    return set(result, to);
  }
  if (float_out) {
    const char* how = is_signed(from) ? "sitofp" : "uitofp";
    const bool directed = at_->has("rz") || at_->has("rm") || at_->has("rp");
    if (to == Type::f16 || to == Type::bf16) {
      if (directed) unknown("(only rounding to nearest)");
      return set(from_float(ir_.convert(how, value, "double"), to), to);
    }
    if (directed) {
      if (bits_of(from) > 32 || to != Type::f32 || !at_->has("rz"))
        unknown("(only rounding to nearest)");
      const Value exact = ir_.convert(how, value, "double");  // then cut off what a float doesn't hold
      const Value bits = ir_.binary("and", ir_.bits(exact, "i64"), {"-536870912", "i64"});
      return set(ir_.convert("fptrunc", ir_.bits(bits, "double"), "float"), to);
    }
    return set(finish(ir_.convert(how, value, of(to)), to), to);
  }
  // Between integers: cut, or extended by the source's sign; .sat cuts at the bounds.
  const unsigned have = bits_of(from), want = bits_of(to);
  if (at_->has("sat")) {
    const Value wide = ir_.convert(is_signed(from) ? "sext" : "zext", value, "i128");
    const std::string low = is_signed(to) ? cat("-", uint64_t{1} << (want - 1)) : "0";
    const std::string high = std::to_string(is_signed(to) ? (uint64_t{1} << (want - 1)) - 1
                                            : want == 64  ? ~uint64_t{0}
                                                          : (uint64_t{1} << want) - 1);
    Value cut = ir_.select(ir_.compare("icmp slt", wide, {low, "i128"}), {low, "i128"}, wide);
    cut = ir_.select(ir_.compare("icmp sgt", cut, {high, "i128"}), {high, "i128"}, cut);
    return set(ir_.convert("trunc", cut, cat("i", want)), to);
  }
  if (want > have)
    value = extended(value, is_signed(from), cat("i", want));
  else
    value = ir_.convert("trunc", value, cat("i", want));
  set(value, to);
}

}  // namespace twin
