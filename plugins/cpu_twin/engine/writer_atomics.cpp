// Atomics, one lane after another.
#include <array>

#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {

/// body(lane's number) once for each lane, from the lowest on.
void Writer::for_each_lane(const Value& lanes_on, const std::function<void(const Value& lane)>& body) {
  const std::string before = ir_.fresh_label(), loop = ir_.fresh_label(), again = ir_.fresh_label(),
                    done = ir_.fresh_label();
  ir_.line(cat("br label %", before));
  ir_.label(before);
  ir_.line(cat("br ", ir_.compare("icmp eq", lanes_on, number(0)).typed(), ", label %", done,
               ", label %", loop));
  ir_.label(loop);
  const Value left{ir_.fresh(), "i32"}, rest{ir_.fresh(), "i32"};
  ir_.line(cat(left.name, " = phi i32 [ ", lanes_on.name, ", %", before, " ], [ ", rest.name, ", %",
               again, " ]"));
  body(ir_.intrinsic("cttz", {left}, "i1 true"));
  ir_.line(cat("br label %", again));
  ir_.label(again);
  ir_.line(cat(rest.name, " = and i32 ", left.name, ", ", ir_.binary("sub", left, number(1)).name));
  ir_.line(cat("br ", ir_.compare("icmp eq", rest, number(0)).typed(), ", label %", done, ", label %",
               loop));
  ir_.label(done);
}

/// What was there before.
Value Writer::one_atomic(const std::string& op, const Value& address, const std::vector<Value>& values,
                         Type type) {
  const std::string pointer = ir_.pointer(address);
  const std::string kept = cat("i", ptx::bits_of(type));
  const Value operand_bits = ir_.bits(values[0], kept);
  const auto swap = [&](const Value& expected, const Value& wanted) {
    const std::string pair = ir_.fresh();
    ir_.line(cat(pair, " = cmpxchg ptr ", pointer, ", ", expected.typed(), ", ", wanted.typed(),
                 " seq_cst seq_cst"));
    return pair;
  };
  if (op == "cas") {
    const std::string pair = swap(operand_bits, ir_.bits(values[1], kept));
    const Value old{ir_.fresh(), kept};
    ir_.line(cat(old.name, " = extractvalue { ", kept, ", i1 } ", pair, ", 0"));
    return old;
  }
  static const std::unordered_map<std::string, std::array<const char*, 3>> names = {
      // signed, unsigned, float
      {"add", {"add", "add", nullptr}},   {"and", {"and", "and", nullptr}},
      {"or", {"or", "or", nullptr}},      {"xor", {"xor", "xor", nullptr}},
      {"exch", {"xchg", "xchg", "xchg"}}, {"min", {"min", "umin", nullptr}},
      {"max", {"max", "umax", nullptr}}};
  const auto found = names.find(op);
  const bool floats = ptx::is_float(type) || type == Type::f16x2 || type == Type::bf16x2;
  const size_t kind = floats ? 2 : ptx::is_signed(type) ? 0 : 1;
  if (found != names.end() && found->second[kind]) {
    const Value old{ir_.fresh(), kept};
    ir_.line(cat(old.name, " = atomicrmw ", found->second[kind], " ptr ", pointer, ", ",
                 operand_bits.typed(), " seq_cst"));
    return old;
  }
  // inc, dec and floats: a loop around compare and swap.
  const std::string before = ir_.fresh_label(), loop = ir_.fresh_label(), done = ir_.fresh_label();
  const Value first = ir_.load(kept, pointer, ptx::bits_of(type) / 8);
  ir_.line(cat("br label %", before));
  ir_.label(before);
  ir_.line(cat("br label %", loop));
  ir_.label(loop);
  const Value old{ir_.fresh(), kept}, seen{ir_.fresh(), kept};
  ir_.line(cat(old.name, " = phi ", kept, " [ ", first.name, ", %", before, " ], [ ", seen.name, ", %",
               loop, " ]"));
  Value wanted;
  if (op == "inc") {
    const Value over = ir_.compare("icmp uge", old, operand_bits);
    wanted = ir_.select(over, {"0", kept}, ir_.binary("add", old, {"1", kept}));
  } else if (op == "dec") {
    const Value under = ir_.binary("or", ir_.compare("icmp eq", old, {"0", kept}),
                                   ir_.compare("icmp ugt", old, operand_bits));
    wanted = ir_.select(under, operand_bits, ir_.binary("sub", old, {"1", kept}));
  } else if (op == "add" && type == Type::f16x2) {
    Value both{"0", "i32"};
    for (int half = 0; half < 2; ++half) {
      const Value by{std::to_string(16 * half), "i32"};
      const auto part = [&](const Value& word) {
        return ir_.bits(ir_.convert("trunc", ir_.binary("lshr", word, by), "i16"), "half");
      };
      const Value sum = ir_.convert(
          "zext", ir_.bits(ir_.binary("fadd", part(old), part(operand_bits)), "i16"), "i32");
      both = ir_.binary("or", both, ir_.binary("shl", sum, by));
    }
    wanted = both;
  } else if (op == "add" && ptx::is_float(type) && type != Type::bf16) {
    wanted =
        ir_.bits(ir_.binary("fadd", ir_.bits(old, of(type)), ir_.bits(operand_bits, of(type))), kept);
  } else {
    unknown();
  }
  const std::string pair = swap(old, wanted);
  ir_.line(cat(seen.name, " = extractvalue { ", kept, ", i1 } ", pair, ", 0"));
  const Value won{ir_.fresh(), "i1"};
  ir_.line(cat(won.name, " = extractvalue { ", kept, ", i1 } ", pair, ", 1"));
  ir_.line(cat("br ", won.typed(), ", label %", done, ", label %", loop));
  ir_.label(done);
  return old;
}

/// One lane after another, from the lowest on.
void Writer::atomic() {
  const Type type = at_->type();
  const bool gives = at_->opcode == "atom";
  std::string op;
  for (const char* name : {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"})
    if (at_->has(name)) op = name;
  const Operand& place = operand(gives ? 1 : 0);
  const Value to = ir_.widen(address(place));
  check(to, ptx::bits_of(type) / 8, access_atomic, at_->space());
  std::vector<Value> values;
  for (size_t k = gives ? 2 : 1; k < at_->operands.size(); ++k)
    values.push_back(ir_.widen(get(k, type)));
  if (values.empty()) unknown();
  const std::string results = scratch(0);
  for_each_lane(active(), [&](const Value& lane) {
    std::vector<Value> own;
    for (const Value& value : values) own.push_back(ir_.lane(value, lane));
    const Value old = one_atomic(op, ir_.lane(to, lane), own, type);
    if (!gives) return;
    const std::string slot = ir_.fresh();
    ir_.line(cat(slot, " = getelementptr ", old.type, ", ptr ", results, ", ", lane.typed()));
    ir_.store(old, slot, ptx::bits_of(type) / 8);
  });
  if (gives) set(ir_.load(cat("<32 x i", ptx::bits_of(type), ">"), results, 8), type);
}

}  // namespace twin
