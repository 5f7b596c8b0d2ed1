// Bits: logic, shifts, fields, counting, permutation.
#include "engine/writer.h"

namespace twin {

using ptx::bits_of;
using ptx::is_signed;

bool Writer::bit_operation() {
  const std::string& op = at_->opcode;
  if (op == "and" || op == "or" || op == "xor") return logic(op), true;
  if (op == "not") {
    const Type type = at_->type();
    if (type == Type::pred)
      return set(ir_.binary("xor", get_predicate(operand(1)), {"true", "i1"}), type), true;
    const Value a = get(1, type);
    return set(ir_.binary("xor", a, {"-1", a.type}), type), true;
  }
  if (op == "cnot") {
    const Type type = at_->type();
    const Value a = get(1, type);
    return set(ir_.convert("zext", ir_.compare("icmp eq", a, {"0", a.type}), a.type), type), true;
  }
  if (op == "shl" || op == "shr") return shift(), true;
  if (op == "shf") return funnel_shift(), true;
  if (op == "bfe") return extract_field(), true;
  if (op == "bfi") return insert_field(), true;
  if (op == "bfind") return find_bit(), true;
  if (op == "prmt") return permute_bytes(), true;
  if (op == "lop3") return logic3(), true;
  if (op == "brev" || op == "popc" || op == "clz") {
    const Type type = at_->type();
    const Value a = get(1, type);
    if (op == "brev") return set(ir_.intrinsic("bitreverse", {a}), type), true;
    const Value count =
        op == "popc" ? ir_.intrinsic("ctpop", {a}) : ir_.intrinsic("ctlz", {a}, "i1 false");
    return set(a.type == "i64" ? ir_.convert("trunc", count, "i32") : count, Type::u32), true;
  }
  return false;
}

void Writer::logic(std::string_view op) {
  const Type type = at_->type();
  if (type == Type::pred)
    return set(ir_.binary(op, get_predicate(operand(1)), get_predicate(operand(2))), type);
  set(ir_.binary(op, get(1, type), get(2, type)), type);
}

/// Amounts of the width and more shift everything out.
void Writer::shift() {
  const Type type = at_->type();
  const Value a = get(1, type), amount = get(2, Type::u32);
  const Value width{std::to_string(bits_of(type)), "i32"},
      last{std::to_string(bits_of(type) - 1), "i32"};
  const Value far = ir_.compare("icmp uge", amount, width);
  const Value cut = ir_.select(far, last, amount);
  const Value by =
      a.type == "i64" ? ir_.convert("zext", cut, a.type) : ir_.convert("trunc", cut, a.type);
  if (at_->opcode == "shr" && is_signed(type)) return set(ir_.binary("ashr", a, by), type);
  const Value shifted = ir_.binary(at_->opcode == "shl" ? "shl" : "lshr", a, by);
  Value result = ir_.select(far, {"0", a.type}, shifted);
  if (at_->opcode == "shl" && operand(2).kind == Operand::Kind::integer &&
      operand(2).bits < bits_of(type))
    result = shifted_by(std::move(result), a, operand(2).bits);
  set(std::move(result), type);
}

void Writer::funnel_shift() {
  const Value low = ir_.convert("zext", get(1, Type::u32), "i64"),
              high = ir_.convert("zext", get(2, Type::u32), "i64");
  const Value amount = get(3, Type::u32), limit{"32", "i32"};
  Value by;
  if (at_->has("wrap"))
    by = ir_.binary("and", amount, {"31", "i32"});
  else
    by = ir_.select(ir_.compare("icmp ugt", amount, limit), limit, amount);
  by = ir_.convert("zext", by, "i64");
  const Value both = ir_.binary("or", ir_.binary("shl", high, {"32", "i64"}), low);
  if (at_->has("r")) return set(ir_.convert("trunc", ir_.binary("lshr", both, by), "i32"), Type::u32);
  const Value up = ir_.binary("shl", both, by);
  set(ir_.convert("trunc", ir_.binary("lshr", up, {"32", "i64"}), "i32"), Type::u32);
}

/// bfe: `length` bits from `start` on; beyond the word come its sign bit, or zeros.
void Writer::extract_field() {
  const Type type = at_->type();
  const unsigned bits = bits_of(type);
  const std::string twice = "i128";
  const Value byte{"255", "i32"};
  const auto number = [&](size_t k) {
    return ir_.convert("zext", ir_.binary("and", get(k, Type::u32), byte), twice);
  };
  const char* extend = is_signed(type) ? "sext" : "zext";
  // In 128 bits a start and a length up to 255 need care: both are cut at the word's width.
  const Value width{std::to_string(bits), twice};
  Value start = number(2), length = number(3);
  start = ir_.select(ir_.compare("icmp ugt", start, width), width, start);
  length = ir_.select(ir_.compare("icmp ugt", length, width), width, length);
  const Value word = ir_.convert(extend, get(1, type), twice);
  const Value moved = ir_.binary(is_signed(type) ? "ashr" : "lshr", word, start);
  const Value unused = ir_.binary("sub", {"128", twice}, length);
  const Value none = ir_.compare("icmp eq", length, {"0", twice});
  const Value safe = ir_.select(none, {"127", twice}, unused);
  Value field = ir_.binary("shl", moved, safe);
  field = ir_.binary(is_signed(type) ? "ashr" : "lshr", field, safe);
  set(ir_.convert("trunc", ir_.select(none, {"0", twice}, field), cat("i", bits)), type);
}

/// bfi: the low bits of a, put into b.
void Writer::insert_field() {
  const Type type = at_->type();
  const std::string twice = "i128";
  const Value byte{"255", "i32"};
  const auto number = [&](size_t k) {
    const Value value = ir_.convert("zext", ir_.binary("and", get(k, Type::u32), byte), twice);
    const Value limit{"64", twice};
    return ir_.select(ir_.compare("icmp ugt", value, limit), limit, value);
  };
  const Value start = number(3), length = number(4);
  const Value ones = ir_.binary("sub", ir_.binary("shl", {"1", twice}, length), {"1", twice});
  const Value place = ir_.binary("shl", ones, start);
  const Value field =
      ir_.binary("shl", ir_.binary("and", ir_.convert("zext", get(1, type), twice), ones), start);
  const Value rest = ir_.binary("and", ir_.convert("zext", get(2, type), twice),
                                ir_.binary("xor", place, {"-1", twice}));
  set(ir_.convert("trunc", ir_.binary("or", rest, field), cat("i", bits_of(type))), type);
}

void Writer::find_bit() {
  const Type type = at_->type();
  Value a = get(1, type);
  if (is_signed(type)) {
    const Value sign = ir_.binary("ashr", a, {std::to_string(bits_of(type) - 1), a.type});
    a = ir_.binary("xor", a, sign);
  }
  const Value zeros = ir_.intrinsic("ctlz", {a}, "i1 false");
  Value found = at_->has("shiftamt")
                    ? zeros
                    : ir_.binary("sub", {std::to_string(bits_of(type) - 1), a.type}, zeros);
  if (a.type == "i64") found = ir_.convert("trunc", found, "i32");
  set(ir_.select(ir_.compare("icmp eq", a, {"0", a.type}), {"-1", "i32"}, found), Type::u32);
}

/// prmt: each byte of the result is one of the eight of {b, a}, or its sign.
void Writer::permute_bytes() {
  for (const char* mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
    if (at_->has(mode)) unknown();
  const Value low = ir_.convert("zext", get(1, Type::u32), "i64"),
              high = ir_.convert("zext", get(2, Type::u32), "i64");
  const Value bytes = ir_.binary("or", ir_.binary("shl", high, {"32", "i64"}), low);
  const Value selector = ir_.convert("zext", get(3, Type::u32), "i64");
  Value result{"0", "i64"};
  for (unsigned k = 0; k < 4; ++k) {
    const Value field = ir_.binary("lshr", selector, {std::to_string(4 * k), "i64"});
    const Value shift_by = ir_.binary("shl", ir_.binary("and", field, {"7", "i64"}), {"3", "i64"});
    Value byte = ir_.binary("and", ir_.binary("lshr", bytes, shift_by), {"255", "i64"});
    const Value sign = ir_.compare("icmp ne", ir_.binary("and", byte, {"128", "i64"}), {"0", "i64"});
    const Value of_sign = ir_.select(sign, {"255", "i64"}, {"0", "i64"});
    const Value wants_sign =
        ir_.compare("icmp ne", ir_.binary("and", field, {"8", "i64"}), {"0", "i64"});
    byte = ir_.select(wants_sign, of_sign, byte);
    result = ir_.binary("or", result, ir_.binary("shl", byte, {std::to_string(8 * k), "i64"}));
  }
  set(ir_.convert("trunc", result, "i32"), Type::u32);
}

/// lop3: any function of three bits, as its table of truth.
void Writer::logic3() {
  const Value a = get(1, Type::u32), b = get(2, Type::u32), c = get(3, Type::u32);
  const uint64_t table = operand(4).bits;
  const auto inverted = [&](const Value& value) { return ir_.binary("xor", value, {"-1", "i32"}); };
  Value result{"0", "i32"};
  for (unsigned k = 0; k < 8; ++k) {
    if (!(table >> k & 1)) continue;
    const Value both = ir_.binary("and", k & 4 ? a : inverted(a), k & 2 ? b : inverted(b));
    result = ir_.binary("or", result, ir_.binary("and", both, k & 1 ? c : inverted(c)));
  }
  set(result, Type::u32);
}

}  // namespace twin
