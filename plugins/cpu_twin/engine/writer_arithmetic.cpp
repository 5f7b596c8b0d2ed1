// Integer and floating-point arithmetic by PTX's rules.
#include "engine/writer.h"

namespace twin {

using ptx::bits_of;
using ptx::is_float;
using ptx::is_signed;

bool Writer::arithmetic() {
  const std::string& op = at_->opcode;
  if (op == "add" || op == "sub") {
    if (at_->has("cc")) return carry(), true;
    return add_or_subtract(), true;
  }
  if (op == "addc" || op == "subc" || op == "madc") return carry(), true;
  if (op == "mul" || op == "mul24") return multiply(false), true;
  if (op == "mad" || op == "mad24") {
    if (at_->has("cc")) return carry(), true;
    return is_float(at_->type()) ? fused_multiply() : multiply(true), true;
  }
  if (op == "fma") return fused_multiply(), true;
  if (op == "div") return divide(false), true;
  if (op == "rem") return divide(true), true;
  if (op == "min" || op == "max") return minimum_or_maximum(), true;
  if (op == "neg" || op == "abs") return negate_or_abs(), true;
  if (op == "sad") {
    const Type type = at_->type();
    const Value a = get(1, type), b = get(2, type);
    const Value less = ir_.compare(is_signed(type) ? "icmp slt" : "icmp ult", a, b);
    const Value distance = ir_.select(less, ir_.binary("sub", b, a), ir_.binary("sub", a, b));
    return set(ir_.binary("add", distance, get(3, type)), type), true;
  }
  if (op == "rcp" || op == "sqrt" || op == "rsqrt" || op == "ex2" || op == "lg2" || op == "sin" ||
      op == "cos" || op == "tanh")
    return approximation(), true;
  if (op == "dp4a" || op == "dp2a") return dot(), true;
  if (op == "copysign") {  // the sign of a, the rest of b
    const Type type = at_->type();
    return set(ir_.intrinsic("copysign", {get(2, type), get(1, type)}), type), true;
  }
  return false;
}

/// Directed rounding isn't offered: nothing that is common asks for it.
void Writer::want_nearest(Type type) const {
  if (!is_float(type)) return;
  for (const char* mode : {"rz", "rm", "rp"})
    if (at_->has(mode)) unknown("(only rounding to nearest)");
}

Value Writer::flush_denormals(const Value& value) {
  if (!at_->has("ftz") || value.type != "float") return value;
  const Value bits = ir_.bits(value, "i32");
  const Value exponent = ir_.binary("and", bits, {"2139095040", "i32"});
  const Value small = ir_.compare("icmp eq", exponent, {"0", "i32"});
  const Value zero = ir_.binary("and", bits, {"-2147483648", "i32"});
  return ir_.bits(ir_.select(small, zero, bits), "float");
}

/// An operand of a floating-point operation: bf16 is computed in float.
Value Writer::operand_float(size_t index, Type type) {
  if (type == Type::bf16) return bfloat_to_float(ir_, get(index, Type::u16));
  return flush_denormals(get(index, type));
}

/// What every floating-point result goes through: .ftz, .sat, and a bf16's rounding.
Value Writer::finish(Value value, Type type) {
  value = flush_denormals(value);
  if (at_->has("sat") && is_float(type)) {
    const Value zero = ir_.convert("sitofp", {"0", "i32"}, value.type),
                one = ir_.convert("sitofp", {"1", "i32"}, value.type);
    value = ir_.select(ir_.compare("fcmp ogt", value, zero), value, zero);  // NaN becomes 0
    value = ir_.select(ir_.compare("fcmp olt", value, one), value, one);
  }
  if (at_->has("relu")) {
    const Value zero = ir_.convert("sitofp", {"0", "i32"}, value.type);
    value = ir_.select(ir_.compare("fcmp olt", value, zero), zero, value);
  }
  return type == Type::bf16 ? float_to_bfloat(ir_, value) : value;
}

/// An operation on two 16-bit floats in 32 bits: done on each half as one on that type.
void Writer::each_half(void (Writer::*body)()) {
  const Instruction whole = *at_;
  Instruction one = whole;
  for (std::string& word : one.modifiers)
    if (word == "f16x2" || word == "bf16x2") word.resize(word.size() - 2);
  Value both;
  for (int half = 0; half < 2; ++half) {
    at_ = &one;
    half_ = half;
    (this->*body)();
    half_ = -1;
    const Value bits = ir_.convert("zext", ir_.bits(half_result_, "i16"), "i32");
    both = half == 0 ? bits : ir_.binary("or", both, ir_.binary("shl", bits, {"16", "i32"}));
  }
  at_ = &whole;
  set(both, Type::u32);
}

void Writer::add_or_subtract() {
  const Type type = at_->type();
  want_nearest(type);
  if (type == Type::f16x2 || type == Type::bf16x2) return each_half(&Writer::add_or_subtract);
  if (is_float(type))
    return set(finish(ir_.binary(at_->opcode == "add" ? "fadd" : "fsub", operand_float(1, type),
                                 operand_float(2, type)),
                      type),
               type);
  const Value a = get(1, type), b = get(2, type);
  if (at_->has("sat"))
    return set(ir_.intrinsic(at_->opcode == "add" ? "sadd.sat" : "ssub.sat", {a, b}), type);
  set(sum_of(a, b, at_->opcode == "sub"), type);
}

Value Writer::high_half(const Value& a, const Value& b, Type type) {
  const unsigned bits = bits_of(type);
  const std::string twice = cat("i", 2 * bits);
  const char* extend = is_signed(type) ? "sext" : "zext";
  const Value product = ir_.binary("mul", ir_.convert(extend, a, twice), ir_.convert(extend, b, twice));
  return ir_.convert("trunc", ir_.binary("lshr", product, {std::to_string(bits), twice}),
                     cat("i", bits));
}

/// The upper 32 of the 48 bits of a product of 24-bit numbers.
Value Writer::upper_of_48(const Value& a, const Value& b, Type type) {
  const char* extend = is_signed(type) ? "sext" : "zext";
  const Value product = ir_.binary("mul", ir_.convert(extend, a, "i64"), ir_.convert(extend, b, "i64"));
  return ir_.convert("trunc", ir_.binary("lshr", product, {"16", "i64"}), "i32");
}

void Writer::multiply_alone() { multiply(false); }

void Writer::multiply(bool add) {
  const Type type = at_->type();
  want_nearest(type);
  if (type == Type::f16x2 || type == Type::bf16x2) return each_half(&Writer::multiply_alone);
  if (is_float(type))
    return set(finish(ir_.binary("fmul", operand_float(1, type), operand_float(2, type)), type), type);
  Value a = get(1, type), b = get(2, type);
  if (at_->opcode == "mul24" || at_->opcode == "mad24") {
    const Value eight{"8", "i32"};
    const char* back = is_signed(type) ? "ashr" : "lshr";
    a = ir_.binary(back, ir_.binary("shl", a, eight), eight);
    b = ir_.binary(back, ir_.binary("shl", b, eight), eight);
  }
  Value product;
  Type wide = type;
  if (at_->has("wide")) {
    const bool small = bits_of(type) == 16;
    wide =
        small ? (is_signed(type) ? Type::s32 : Type::u32) : (is_signed(type) ? Type::s64 : Type::u64);
    a = extended(a, is_signed(type), of(wide)), b = extended(b, is_signed(type), of(wide));
  }
  if (at_->has("hi")) {
    product = at_->opcode[3] == '2' ? upper_of_48(a, b, type) : high_half(a, b, type);
  } else {
    product = product_of(a, b, operand(2));
    if (product.wide && product.firsts.empty()) product = product_of(b, a, operand(1));
  }
  if (add) {
    const Value c = get(3, wide);
    product = at_->has("sat") ? ir_.intrinsic("sadd.sat", {product, c}) : sum_of(product, c, false);
  }
  set(product, wide);
}

void Writer::fused_multiply() {
  const Type type = at_->type();
  want_nearest(type);
  if (type == Type::f16x2 || type == Type::bf16x2) return each_half(&Writer::fused_multiply);
  Value a = operand_float(1, type), b = operand_float(2, type), c = operand_float(3, type);
  if (type == Type::f16) {
    // Exact in double but for the last rounding.
    a = ir_.convert("fpext", a, "double"), b = ir_.convert("fpext", b, "double"),
    c = ir_.convert("fpext", c, "double");
    return set(finish(ir_.convert("fptrunc", ir_.intrinsic("fma", {a, b, c}), "half"), type), type);
  }
  set(finish(ir_.intrinsic("fma", {a, b, c}), type), type);
}

void Writer::divide(bool remainder) {
  const Type type = at_->type();
  want_nearest(type);
  if (is_float(type))
    return set(finish(ir_.binary("fdiv", operand_float(1, type), operand_float(2, type)), type), type);
  const Value a = get(1, type), b = get(2, type);
  const bool with_sign = is_signed(type);
  const Value zero{"0", a.type}, one{"1", a.type}, minus{"-1", a.type};
  // Division by zero gives all ones, and the remainder the dividend; the quotient of the least number by -1 wraps.
  const Value by_zero = ir_.compare("icmp eq", b, zero);
  Value safe = ir_.select(by_zero, one, b), by_minus;
  if (with_sign) {
    by_minus = ir_.compare("icmp eq", b, minus);
    safe = ir_.select(by_minus, one, safe);
  }
  Value quotient;
  if (bits_of(type) <= 32) {
    // Exact: a quotient of 32-bit integers is never as near to a whole number as a double can't tell.
    const char* up = with_sign ? "sitofp" : "uitofp";
    const char* down = with_sign ? "fptosi" : "fptoui";
    const Value ratio =
        ir_.binary("fdiv", ir_.convert(up, a, "double"), ir_.convert(up, safe, "double"));
    quotient = ir_.convert(down, ratio, a.type);
  } else {
    quotient = ir_.binary(with_sign ? "sdiv" : "udiv", a, safe);
  }
  if (with_sign) quotient = ir_.select(by_minus, ir_.binary("sub", zero, a), quotient);
  if (!remainder) return set(ir_.select(by_zero, minus, quotient), type);
  set(ir_.binary("sub", a, ir_.binary("mul", quotient, b)), type);
}

void Writer::minimum_or_maximum() {
  const Type type = at_->type();
  const bool least = at_->opcode == "min";
  if (type == Type::f16x2 || type == Type::bf16x2) return each_half(&Writer::minimum_or_maximum);
  if (!is_float(type)) {
    const Value a = get(1, type), b = get(2, type);
    const char* how =
        is_signed(type) ? (least ? "icmp slt" : "icmp sgt") : (least ? "icmp ult" : "icmp ugt");
    return set(ir_.select(ir_.compare(how, a, b), a, b), type);
  }
  const Value a = operand_float(1, type), b = operand_float(2, type);
  const Value a_nan = ir_.compare("fcmp uno", a, a), b_nan = ir_.compare("fcmp uno", b, b);
  const Value better = ir_.compare(least ? "fcmp olt" : "fcmp ogt", a, b);
  Value result = ir_.select(better, a, b);
  // Of a number and NaN the number, unless .NaN; -0 is less than +0.
  const std::string integer = cat("i", a.type == "double" ? 64 : a.type == "half" ? 16 : 32);
  const Value both = ir_.binary(least ? "or" : "and", ir_.bits(a, integer), ir_.bits(b, integer));
  result = ir_.select(ir_.compare("fcmp oeq", a, b), ir_.bits(both, a.type), result);
  if (at_->has("NaN"))
    result = ir_.select(a_nan, a, ir_.select(b_nan, b, result));
  else
    result = ir_.select(b_nan, a, ir_.select(a_nan, b, result));
  set(finish(result, type), type);
}

void Writer::negate_or_abs() {
  const Type type = at_->type();
  const bool negate = at_->opcode == "neg";
  if (is_float(type) || type == Type::f16x2 || type == Type::bf16x2) {
    // Only the sign, also a NaN's.
    const unsigned bits = bits_of(type);
    const std::string integer = cat("i", bits);
    uint64_t sign = uint64_t{1} << (bits - 1);
    if (type == Type::f16x2 || type == Type::bf16x2) sign |= 0x8000;
    const Value value =
        ir_.bits(type == Type::f32 ? flush_denormals(get(1, type)) : get(1, type), integer);
    const Value mask{
        std::to_string(static_cast<int64_t>(
            negate ? sign : ~sign & (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1))),
        integer};
    return set(ir_.binary(negate ? "xor" : "and", value, mask), type);
  }
  const Value a = get(1, type);
  const Value minus = ir_.binary("sub", {"0", a.type}, a);
  set(negate ? minus : ir_.select(ir_.compare("icmp slt", a, {"0", a.type}), minus, a), type);
}

void Writer::approximation() {
  const Type type = at_->type();
  const std::string& op = at_->opcode;
  want_nearest(type);
  if (type == Type::f16 || type == Type::bf16) {
    if (op != "ex2" && op != "tanh") unknown();
    const Value a =
        type == Type::f16 ? ir_.convert("fpext", get(1, type), "float") : operand_float(1, type);
    const Value result = support(cat("__twin_", op, "_approx_32"), {a}, "float")[0];
    return set(
        type == Type::f16 ? ir_.convert("fptrunc", result, "half") : float_to_bfloat(ir_, result),
        type);
  }
  const Value a = operand_float(1, type);
  const Value one = ir_.convert("sitofp", {"1", "i32"}, a.type);
  if (op == "rcp") return set(finish(ir_.binary("fdiv", one, a), type), type);
  if (op == "sqrt") return set(finish(ir_.intrinsic("sqrt", {a}), type), type);
  if (op == "rsqrt") {
    // In double, so that it is rounded once.
    Value root = ir_.intrinsic("sqrt", {ir_.convert("fpext", a, "double")});
    root = ir_.binary("fdiv", ir_.convert("sitofp", {"1", "i32"}, "double"), root);
    return set(finish(ir_.convert("fptrunc", root, a.type), type), type);
  }
  set(finish(support(cat("__twin_", op, "_approx_32"), {a}, "float")[0], type), type);
}

/// add.cc, addc, mad.cc …: the carry is a register of its own, alive inside a block.
void Writer::carry() {
  const Type type = at_->type();
  const std::string& op = at_->opcode;
  const bool subtracts = op.starts_with("sub");
  const std::string twice = cat("i", 2 * bits_of(type));
  const auto extended = [&](const Value& value) { return ir_.convert("zext", value, twice); };
  Value a = get(1, type), b = get(2, type);
  if (op.starts_with("mad")) {
    a = at_->has("hi") ? high_half(a, b, type) : ir_.binary("mul", a, b);
    b = get(3, type);
  }
  Value sum = ir_.binary(subtracts ? "sub" : "add", extended(a), extended(b));
  if (op.back() == 'c') {
    const auto found = passed_.find("carry");
    const Value before =
        found == passed_.end() ? Value{"0", twice} : ir_.convert("zext", found->second, twice);
    sum = ir_.binary(subtracts ? "sub" : "add", sum, before);
  }
  if (at_->has("cc")) {
    const Value above = ir_.binary("lshr", sum, {std::to_string(bits_of(type)), twice});
    passed_["carry"] = ir_.convert("trunc", above, "i1");
  }
  set(ir_.convert("trunc", sum, cat("i", bits_of(type))), type);
}

void Writer::dot() {
  const bool four = at_->opcode == "dp4a";
  const Type a_type = at_->type(1), b_type = at_->type();
  const Value a = get(1, a_type), b = get(2, b_type);
  Value sum = get(3, Type::s32);
  const auto field = [&](const Value& word, unsigned bits, unsigned at, bool with_sign) {
    const Value up = ir_.binary("shl", word, {std::to_string(32 - bits - at), "i32"});
    return ir_.binary(with_sign ? "ashr" : "lshr", up, {std::to_string(32 - bits), "i32"});
  };
  const unsigned count = four ? 4 : 2, a_bits = four ? 8 : 16, b_at = !four && at_->has("hi") ? 16 : 0;
  for (unsigned k = 0; k < count; ++k)
    sum = ir_.binary("add", sum,
                     ir_.binary("mul", field(a, a_bits, k * a_bits, is_signed(a_type)),
                                field(b, 8, b_at + k * 8, is_signed(b_type))));
  set(sum, Type::s32);
}

}  // namespace twin
