// What the lanes of a warp do together, and calls of functions that the twin brings itself.
#include <algorithm>
#include <cstddef>

#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {
bool Writer::warp_operation() {
  const std::string& op = at_->opcode;
  if (op == "shfl") return shuffle_lanes(), true;
  if (op == "vote") return vote(), true;
  if (op == "match") return match(), true;
  if (op == "redux") return reduce_lanes(), true;
  if (op == "activemask") return set(active(), Type::u32), true;
  if (op == "call") return call_support(), true;
  if (op == "bar" && at_->has("warp")) {  // lanes of a path are together anyway
    check_members(get(0, Type::u32));
    return true;
  }
  return false;
}

std::string Writer::scratch(size_t index) {
  scratches_ = std::max(scratches_, index + 1);
  return cat("%scratch", index);
}

/// The mask of a warp-wide operation must name exactly those who take part; lanes that have ended don't count. Where
/// masks differ, lanes form groups, and each lane's must name itself and nobody who isn't there.
void Writer::check_members(const Value& members) {
  const Value on = active();
  // What a lane that has returned would give to a shuffle, nobody knows: that is worth a report.
  const bool strict = options_.checks && at_->opcode == "shfl";
  const Value living =
      ir_.load("i32", warp_field(strict ? offsetof(Warp, exist) : offsetof(Warp, live)), 4);
  const Value absent = ir_.binary("and", living, ir_.binary("xor", on, number(-1)));
  Value wrong;
  if (members.wide) {
    const Value own = ir_.binary("shl", ir_.widen(number(1)), Ir::iota("i32"));
    const Value unnamed = ir_.compare("icmp eq", ir_.binary("and", members, own), number(0));
    const Value missing = ir_.compare("icmp ne", ir_.binary("and", members, absent), number(0));
    wrong = ir_.binary("and", ir_.mask_bits(ir_.binary("or", unnamed, missing)), on);
  } else {
    const Value unnamed = ir_.binary("and", on, ir_.binary("xor", members, number(-1)));
    wrong = ir_.binary("or", ir_.binary("and", members, absent), unnamed);
  }
  ir_.store(uniform(members), warp_field(offsetof(Warp, fault_detail)), 4);
  fault_if(ir_.compare("icmp ne", wrong, number(0)), fault_mask, wrong);
  note_sync(sync_warp);
}

Value Writer::permute(const Value& value, const Value& indices) {
  const std::string place = scratch(0), bytes = cat("i", value.type.substr(1));
  ir_.store(value, place, 128);
  const std::string pointers = ir_.fresh();
  ir_.line(cat(pointers, " = getelementptr ", bytes, ", ptr ", place, ", ", indices.typed()));
  const std::string full = value.full(), callee = cat("@llvm.masked.gather.v32", bytes, ".v32p0");
  ir_.declare(cat("declare ", full, " ", callee, "(<32 x ptr>, i32, <32 x i1>, ", full, ")"));
  const Value all = ir_.widen({"true", "i1"});
  return ir_.call(
      value.type, true,
      cat(callee, "(<32 x ptr> ", pointers, ", i32 4, ", all.typed(), ", ", full, " zeroinitializer)"));
}

/// shfl.sync.mode d|p, a, b, c, members. c holds the segment's mask in bits 8 to 12 and a bound in the low five.
void Writer::shuffle_lanes() {
  check_members(get(4, Type::u32));
  const Value a = ir_.widen(get(1, Type::u32));
  const Value lane = Ir::iota("i32");
  const Value b = ir_.binary("and", ir_.widen(get(2, Type::u32)), number(31));
  const Value c = ir_.widen(get(3, Type::u32));
  const Value bound = ir_.binary("and", c, number(31));
  const Value segment = ir_.binary("and", ir_.binary("lshr", c, number(8)), number(31));
  const Value outside = ir_.binary("xor", segment, number(-1));
  const Value lowest = ir_.binary("and", lane, segment);
  const Value highest = ir_.binary("or", lowest, ir_.binary("and", bound, outside));
  Value source, inside;
  if (at_->has("up")) {
    source = ir_.binary("sub", lane, b);
    inside = ir_.compare("icmp sge", source, highest);
  } else {
    if (at_->has("down"))
      source = ir_.binary("add", lane, b);
    else if (at_->has("bfly"))
      source = ir_.binary("xor", lane, b);
    else
      source = ir_.binary("or", lowest, ir_.binary("and", b, outside));
    inside = ir_.compare("icmp sle", source, highest);
  }
  const Value from = ir_.select(inside, source, lane);
  const Operand& to = operand(0);
  const bool known =
      operand(2).kind == Operand::Kind::integer && operand(3).kind == Operand::Kind::integer;
  Value result;
  if (known) {  // a permutation that the compiler knows
    const auto bv = static_cast<int>(operand(2).bits & 31), cv = static_cast<int>(operand(3).bits & 31);
    const auto seg = static_cast<int>(operand(3).bits >> 8 & 31);
    std::string indices;
    for (int i = 0; i < 32; ++i) {
      const int low = i & seg, high = low | (cv & ~seg);
      int j = at_->has("up")     ? i - bv
              : at_->has("down") ? i + bv
              : at_->has("bfly") ? i ^ bv
                                 : (low | (bv & ~seg));
      const bool ok = at_->has("up") ? j >= high : j <= high;
      if (!ok) j = i;
      indices += cat(i ? ", i32 " : "<i32 ", j & 31);
    }
    result = ir_.shuffle(a, a, indices + ">");
  } else {
    result = permute(a, from);
  }
  if (to.kind == Operand::Kind::pair) {
    set(to.items[0], result, Type::u32);
    set(to.items[1], inside, Type::pred);
  } else {
    set(to, result, Type::u32);
  }
}

void Writer::vote() {
  const Value members = get(2, Type::u32);
  check_members(members);
  const Value voters = ir_.binary("and", members, active());
  const Value truth = ir_.binary("and", ir_.mask_bits(ir_.widen(get_predicate(operand(1)))), voters);
  if (at_->has("ballot")) return set(truth, Type::u32);
  const Value all = ir_.compare("icmp eq", truth, voters),
              none = ir_.compare("icmp eq", truth, number(0));
  if (at_->has("all")) return set(all, Type::pred);
  if (at_->has("any")) return set(ir_.binary("xor", none, {"true", "i1"}), Type::pred);
  set(ir_.binary("or", all, none), Type::pred);  // uni
}

void Writer::match() {
  const Type type = at_->type();
  const Value members = get(2, Type::u32);
  check_members(members);
  const Value a = ir_.widen(get(1, type));
  if (at_->has("all")) {
    // Against the first lane of the group.
    const Value voters = ir_.binary("and", members, active());
    const Value first = ir_.binary("and", ir_.intrinsic("cttz", {voters}, "i1 false"), number(31));
    const Value expected = first.wide ? permute(a, first) : ir_.lane(a, first);
    const Value same = ir_.mask_bits(ir_.widen(ir_.compare("icmp eq", a, expected)));
    const Value all = ir_.compare("icmp eq", ir_.binary("and", same, voters), voters);
    const Operand& to = operand(0);
    set(to.kind == Operand::Kind::pair ? to.items[0] : to, ir_.select(all, voters, number(0)),
        Type::u32);
    if (to.kind == Operand::Kind::pair) set(to.items[1], all, Type::pred);
    return;
  }
  Value found = ir_.widen(number(0));
  for (int lane = 0; lane < 32; ++lane) {
    const Value same = ir_.compare("icmp eq", a, ir_.lane(a, number(lane)));
    const Value bits = ir_.mask_bits(ir_.widen(same));
    const Value next{ir_.fresh(), "i32", true};
    ir_.line(cat(next.name, " = insertelement ", found.typed(), ", ", bits.typed(), ", i32 ", lane));
    found = next;
  }
  set(ir_.binary("and", found, ir_.binary("and", members, active())), Type::u32);
}

void Writer::reduce_lanes() {
  const Type type = at_->type();
  const Value members = get(2, Type::u32);
  if (members.wide) unknown("with masks that differ");
  check_members(members);
  std::string op, neutral = "0";
  for (const char* name : {"add", "and", "or", "xor", "min", "max"})
    if (at_->has(name)) op = name;
  if (op == "and") neutral = "-1";
  if (op == "min") neutral = ptx::is_signed(type) ? "2147483647" : "-1";
  if (op == "max") neutral = ptx::is_signed(type) ? "-2147483648" : "0";
  if (op == "min" || op == "max") op = cat(ptx::is_signed(type) ? "s" : "u", op);
  const Value all = ir_.select(mask_wide(), get(1, Type::u32), {neutral, "i32"});
  ir_.declare(cat("declare i32 @llvm.vector.reduce.", op, ".v32i32(<32 x i32>)"));
  set(ir_.call("i32", false, cat("@llvm.vector.reduce.", op, ".v32i32(", all.typed(), ")")), Type::u32);
}

/// Calls the support library for all lanes at once; what inactive lanes compute is dropped.
std::vector<Value> Writer::support(const std::string& name, const std::vector<Value>& arguments,
                                   const std::string& result) {
  std::string list = cat("ptr ", scratch(0)), types = "ptr";
  for (size_t k = 0; k < arguments.size(); ++k) {
    ir_.store(ir_.widen(arguments[k]), scratch(k + 1), 128);
    list += cat(", ptr ", scratch(k + 1));
    types += ", ptr";
  }
  ir_.declare(cat("declare void @", name, "(", types, ")"));
  ir_.call("void", false, cat("@", name, "(", list, ")"));
  return {ir_.load(cat("<32 x ", result, ">"), scratch(0), 128)};
}

void Writer::call_support() {
  const Operand* results = nullptr;
  const Operand* arguments = nullptr;
  std::string name;
  for (const Operand& one : at_->operands) {
    if (one.kind == Operand::Kind::symbol && name.empty())
      name = one.name;
    else if (one.kind == Operand::Kind::list)
      (name.empty() ? results : arguments) = &one;
  }
  if (!name.starts_with("__twin_")) return call_runtime(name);
  const ptx::Function* callee = module_.function(name);
  if (!callee || callee->results.size() != 1) unknown(cat("of ", name));
  // Whether a piece is a float, only the library knows: the bits are the same.
  std::vector<Value> values;
  for (size_t k = 0; arguments && k < arguments->items.size(); ++k) {
    const auto found = passed_.find(arguments->items[k].name + "+0");
    if (found == passed_.end()) unknown(cat("of ", name));
    values.push_back(found->second);
  }
  const std::string type = cat("i", callee->results[0].bytes * 8);
  passed_[results->items.at(0).name + "+0"] = support(name + "_32", values, type)[0];
}

/// printf, assert, malloc and free: one lane after another.
void Writer::call_runtime(const std::string& name) {
  const Operand* results = nullptr;
  const Operand* arguments = nullptr;
  bool behind = false;
  for (const Operand& one : at_->operands) {
    if (one.kind == Operand::Kind::symbol)
      behind = true;
    else if (one.kind == Operand::Kind::list)
      (behind ? arguments : results) = &one;
  }
  const auto argument = [&](size_t k) {
    const auto found = passed_.find(arguments->items.at(k).name + "+0");
    if (found == passed_.end()) unknown(cat("of ", name));
    return found->second;
  };
  const auto pointer = [&](size_t k, const Value& lane) {
    return ir_.pointer(ir_.lane(argument(k), lane));
  };
  const Value on = active();
  if (name == "vprintf") {
    const Value print = service(offsetof(Services, print));
    for_each_lane(on, [&](const Value& lane) {
      const std::string format = pointer(0, lane), packed = pointer(1, lane);
      ir_.call("i32", false, cat(print.name, "(ptr ", format, ", ptr ", packed, ")"));
    });
    passed_[results->items.at(0).name + "+0"] = number(1);
  } else if (name == "__assertfail") {
    const Value assertion = service(offsetof(Services, assertion));
    for_each_lane(on, [&](const Value& lane) {
      const std::string message = pointer(0, lane), file = pointer(1, lane),
                        function = pointer(3, lane);
      const Value line = ir_.lane(argument(2), lane);
      ir_.call("void", false,
               cat(assertion.name, "(ptr %warp, ptr ", message, ", ptr ", file, ", ", line.typed(),
                   ", ptr ", function, ", ", lane.typed(), ")"));
    });
    fault_if(ir_.compare("icmp ne", on, number(0)), fault_memory, on);  // already reported
  } else if (name == "malloc" || name == "free") {
    const bool gives = name == "malloc";
    const Value serve = service(gives ? offsetof(Services, allocate) : offsetof(Services, release));
    const std::string place = scratch(0);
    for_each_lane(on, [&](const Value& lane) {
      const Value value = ir_.lane(argument(0), lane);
      if (!gives)
        return (void)ir_.call("void", false,
                              cat(serve.name, "(ptr %warp, ptr ", ir_.pointer(value), ")"));
      const Value got = ir_.call("ptr", false, cat(serve.name, "(ptr %warp, ", value.typed(), ")"));
      const std::string slot = ir_.fresh();
      ir_.line(cat(slot, " = getelementptr i64, ptr ", place, ", ", lane.typed()));
      ir_.line(cat("store ptr ", got.name, ", ptr ", slot, ", align 8"));
    });
    if (gives) passed_[results->items.at(0).name + "+0"] = ir_.load("<32 x i64>", place, 128);
  } else {
    unknown(cat("of ", name, ", a function that isn't defined"));
  }
}

}  // namespace twin
