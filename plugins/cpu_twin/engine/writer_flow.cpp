// Branches. A warp goes down one path with the lanes of its mask; the others wait on a stack of paths, at the other
// side of a branch or at the block where its sides meet (`join`). Which is why a warp never runs a block behind a
// branch for some lanes before the others have arrived there.
#include <cstddef>

#include "engine/uses.h"
#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {
bool Writer::needs_resume(const Block& block) const {
  const Instruction& last = function_.code[block.end ? block.end - 1 : 0];
  if (block.ending == Ending::table || block.ending == Ending::call) return true;
  return block.ending == Ending::barrier && last.has("red");
}

void Writer::ending(size_t index) {
  const Block& block = flow_.blocks[index];
  if (block.ending == Ending::jump) {
    flush(index);
    return go(index, block.next[0]);
  }
  at_ = &function_.code[block.end - 1];
  switch (block.ending) {
    case Ending::branch: {
      const Value taken = guard();
      flush(index);
      return part(index, taken);
    }
    case Ending::leave: return leave_function(index);
    case Ending::barrier: return barrier(index);
    case Ending::call: return real_call(index);
    case Ending::table: return part_table(index);
    case Ending::trap:
      ir_.store(number(fault_trap), warp_field(offsetof(Warp, fault)), 4);
      ir_.store(mask(), warp_field(offsetof(Warp, fault_mask)), 4);
      ir_.store(number(packed_line(at_->line.file, at_->line.line)), warp_field(offsetof(Warp, line)),
                4);
      return leave(number(action_fault));
    case Ending::jump: return;
  }
}

/// Keeps the state of the warp in its frame; it goes on at `next`.
void Writer::save(const Value& next) {
  ir_.store(ir_.load("i32", "%mask", 4), ir_.at("%frame", offsetof(Frame, mask)), 4);
  ir_.store(ir_.load("i32", "%join", 4), ir_.at("%frame", offsetof(Frame, join)), 4);
  ir_.store(ir_.load("i32", "%depth", 4), ir_.at("%frame", offsetof(Frame, depth)), 4);
  ir_.store(ir_.load("i64", "%patience", 8), warp_field(offsetof(Warp, patience)), 8);
  ir_.store(next, ir_.at("%frame", offsetof(Frame, next)), 4);
}

/// All active lanes go to block `to`. Whoever goes back long enough lets others run, so that a warp can wait for
/// another one, and one that never ends is noticed.
void Writer::go(size_t from, int to) {
  if (to == flow_.exit()) return ir_.line("br label %pop");
  const std::string target = cat("a", to);
  if (to > static_cast<int>(from)) return ir_.line(cat("br label %", target));
  const Value left = ir_.binary("sub", ir_.load("i64", "%patience", 8), {"1", "i64"});
  ir_.store(left, "%patience", 8);
  const Value out = ir_.compare("icmp slt", left, {"0", "i64"});
  const std::string pause = ir_.fresh_label();
  ir_.line(cat("br ", out.typed(), ", label %", pause, ", label %", target));
  ir_.label(pause);
  save(number(to));
  const Block& block = flow_.blocks[from];
  const ptx::Line line = block.end > block.begin ? function_.code[block.end - 1].line : ptx::Line{};
  ir_.store(number(packed_line(line.file, line.line)), warp_field(offsetof(Warp, line)), 4);
  leave(number(action_pause));
}

/// The way into a block: where lanes meet, the others come first.
void Writer::arrive(int to) {
  ir_.label(cat("a", to));
  if (!flow_.is_join[static_cast<size_t>(to)]) return ir_.line(cat("br label %b", to));
  const Value here = ir_.compare("icmp eq", ir_.load("i32", "%join", 4), number(to));
  ir_.line(cat("br ", here.typed(), ", label %pop, label %b", to));
}

void Writer::push(const Value& next, const Value& join, const Value& who) {
  const Value depth = ir_.load("i32", "%depth", 4);
  const Value offset =
      ir_.binary("mul", ir_.convert("zext", depth, "i64"), {std::to_string(sizeof(Path)), "i64"});
  const std::string paths = ir_.at("%frame", layout_.paths);
  const std::string path = ir_.fresh();
  ir_.line(cat(path, " = getelementptr i8, ptr ", paths, ", ", offset.typed()));
  ir_.store(next, ir_.at(path, offsetof(Path, next)), 4);
  ir_.store(join, ir_.at(path, offsetof(Path, join)), 4);
  ir_.store(who, ir_.at(path, offsetof(Path, mask)), 4);
  ir_.store(ir_.binary("add", depth, number(1)), "%depth", 4);
}

/// Makes `join` the place where the active lanes meet again, if it isn't already.
void Writer::open(int join) {
  const Value now = ir_.load("i32", "%join", 4);
  const Value same = ir_.compare("icmp eq", now, number(met(join)));
  const std::string fresh = ir_.fresh_label(), done = ir_.fresh_label();
  ir_.line(cat("br ", same.typed(), ", label %", done, ", label %", fresh));
  ir_.label(fresh);
  push(number(met(join)), now, mask());
  ir_.store(number(met(join)), "%join", 4);
  ir_.line(cat("br label %", done));
  ir_.label(done);
}

void Writer::part(size_t index, const Value& taken) {
  const Block& block = flow_.blocks[index];
  const int yes = block.next[0], no = block.next[1], join = flow_.join[index];
  const std::string all_yes = ir_.fresh_label(), not_all = ir_.fresh_label();
  if (!divergence_.branch[index]) {
    ir_.line(cat("br ", taken.typed(), ", label %", all_yes, ", label %", not_all));
  } else {
    const Value bits = ir_.mask_bits(ir_.widen(taken));
    const Value lanes_yes = ir_.binary("and", mask(), bits);
    const Value lanes_no = ir_.binary("xor", mask(), lanes_yes);
    const std::string mixed = ir_.fresh_label(), some_no = ir_.fresh_label();
    ir_.line(cat("br ", ir_.compare("icmp eq", lanes_no, number(0)).typed(), ", label %", all_yes,
                 ", label %", some_no));
    ir_.label(some_no);
    ir_.line(cat("br ", ir_.compare("icmp eq", lanes_yes, number(0)).typed(), ", label %", not_all,
                 ", label %", mixed));
    ir_.label(mixed);
    count_parting();
    open(join);
    if (yes == join) {
      ir_.store(lanes_no, "%mask", 4);
      go(index, no);
    } else {
      if (no != join) push(number(no), number(met(join)), lanes_no);
      ir_.store(lanes_yes, "%mask", 4);
      go(index, yes);
    }
  }
  ir_.label(all_yes);
  go(index, yes);
  ir_.label(not_all);
  go(index, no);
}

/// A jump through a table: lanes with the first lane's index go, the others come back here.
void Writer::part_table(size_t index) {
  flush(index);
  ir_.line(cat("br label %r", index));
}

void Writer::redispatch(size_t index) {
  const Block& block = flow_.blocks[index];
  const int join = flow_.join[index];
  const Value wanted = get(0, Type::u32);
  const Value one = uniform(wanted);
  if (wanted.wide) {
    const Value lanes_same =
        ir_.binary("and", mask(), ir_.mask_bits(ir_.compare("icmp eq", wanted, one)));
    const Value others = ir_.binary("xor", mask(), lanes_same);
    const std::string mixed = ir_.fresh_label(), together = ir_.fresh_label();
    ir_.line(cat("br ", ir_.compare("icmp eq", others, number(0)).typed(), ", label %", together,
                 ", label %", mixed));
    ir_.label(mixed);
    open(join);
    push(number(resume_number(index)), number(met(join)), others);
    ir_.store(lanes_same, "%mask", 4);
    ir_.line(cat("br label %", together));
    ir_.label(together);
  }
  std::string cases;
  for (size_t k = 0; k < block.next.size(); ++k) cases += cat(" i32 ", k, ", label %t", index, "_", k);
  ir_.line(cat("switch ", one.typed(), ", label %t", index, "_0 [", cases, " ]"));
  for (size_t k = 0; k < block.next.size(); ++k) {
    ir_.label(cat("t", index, "_", k));
    go(index, block.next[k]);
  }
}

void Writer::leave_function(size_t index) {
  const Block& block = flow_.blocks[index];
  // In a kernel, and for exit anywhere, the lanes are gone for good.
  const bool for_good = function_.kernel || at_->opcode == "exit";
  const Value gone = active();
  flush(index);
  if (for_good) {
    const std::string living = warp_field(offsetof(Warp, live));
    ir_.store(ir_.binary("and", ir_.load("i32", living, 4), ir_.binary("xor", gone, number(-1))),
              living, 4);
  }
  if (block.next.size() == 1) return ir_.line("br label %pop");
  const Value stay = ir_.binary("xor", mask(), gone);
  const std::string some = ir_.fresh_label();
  ir_.store(stay, "%mask", 4);
  ir_.line(cat("br ", ir_.compare("icmp eq", stay, number(0)).typed(), ", label %pop, label %", some));
  ir_.label(some);
  go(index, block.next[1]);
}

/// No lane is left on this path: the next one on the stack goes, and with none the function is over.
void Writer::pop_and_dispatch() {
  ir_.label("pop");
  const Value depth = ir_.load("i32", "%depth", 4);
  ir_.line(
      cat("br ", ir_.compare("icmp eq", depth, number(0)).typed(), ", label %over, label %next_path"));
  ir_.label("over");
  leave(number(action_done));
  ir_.label("next_path");
  const Value less = ir_.binary("sub", depth, number(1));
  ir_.store(less, "%depth", 4);
  const Value offset =
      ir_.binary("mul", ir_.convert("zext", less, "i64"), {std::to_string(sizeof(Path)), "i64"});
  const std::string paths = ir_.at("%frame", layout_.paths), path = ir_.fresh();
  ir_.line(cat(path, " = getelementptr i8, ptr ", paths, ", ", offset.typed()));
  const Value next = ir_.load("i32", ir_.at(path, offsetof(Path, next)), 4);
  ir_.store(ir_.load("i32", ir_.at(path, offsetof(Path, join)), 4), "%join", 4);
  const Value living = ir_.load("i32", warp_field(offsetof(Warp, live)), 4);
  const Value lanes_left =
      ir_.binary("and", ir_.load("i32", ir_.at(path, offsetof(Path, mask)), 4), living);
  ir_.store(lanes_left, "%mask", 4);
  ir_.line(
      cat("br ", ir_.compare("icmp eq", lanes_left, number(0)).typed(), ", label %pop, label %popped"));
  ir_.label("popped");
  ir_.line("br label %dispatch");
  ir_.label("dispatch");
  ir_.line(cat("%going = phi i32 [ %first_next, %start ], [ ", next.name, ", %popped ]"));
  std::string cases;
  for (size_t b = 0; b < flow_.blocks.size(); ++b) {
    cases += cat(" i32 ", b, ", label %a", b);
    if (needs_resume(flow_.blocks[b])) cases += cat(" i32 ", resume_number(b), ", label %r", b);
  }
  cases +=
      cat(" i32 ", 2 * flow_.blocks.size() + 1, ", label %pop");  // a barrier or call at the very end
  ir_.line(cat("switch i32 %going, label %impossible [", cases, " ]"));
}

void Writer::barrier(size_t index) {
  const Block& block = flow_.blocks[index];
  const bool of_grid = at_->opcode == "call";
  const bool red = at_->has("red");
  size_t k = of_grid ? at_->operands.size() : red ? 1 : 0;
  const auto next_number = [&](const char* none) {
    if (k >= at_->operands.size()) return Value{none, "i32"};
    return uniform(get(k++, Type::u32));
  };
  const Value name = of_grid ? number(grid_barrier) : next_number("0");
  Value threads{"0", "i32"};
  Value input{"0", "i32"};
  if (red) {
    if (at_->operands.size() > k + 1) threads = next_number("0");
    input = ir_.binary("and", mask(), ir_.mask_bits(ir_.widen(get_predicate(operand(k)))));
  } else {
    threads = next_number("0");
  }
  flush(index);
  int32_t kind = barrier_sync;
  if (at_->has("arrive")) kind = barrier_arrive;
  if (red) kind = at_->has("popc") ? barrier_popc : at_->has("and") ? barrier_and : barrier_or;
  ir_.store(name, warp_field(offsetof(Warp, barrier)), 4);
  ir_.store(threads, warp_field(offsetof(Warp, barrier_threads)), 4);
  ir_.store(number(kind), warp_field(offsetof(Warp, barrier_kind)), 4);
  ir_.store(input, warp_field(offsetof(Warp, barrier_input)), 4);
  ir_.store(number(packed_line(at_->line.file, at_->line.line)), warp_field(offsetof(Warp, line)), 4);
  const int behind =
      block.next[0] == flow_.exit() ? static_cast<int>(2 * flow_.blocks.size() + 1) : block.next[0];
  save(number(red ? resume_number(index) : behind));
  leave(number(action_barrier));
}

/// A call of a function that has a frame of its own. Through a pointer, lanes with the first lane's callee go first.
void Writer::real_call(size_t index) {
  flush(index);
  ir_.line(cat("br label %r", index));
}

void Writer::resume(size_t index) {
  const Block& block = flow_.blocks[index];
  at_ = &function_.code[block.end - 1];
  now_.clear();
  mask_ = mask_wide_ = {};
  block_ = index;
  ir_.label(cat("r", index));
  if (block.ending == Ending::table) return redispatch(index);
  const int behind =
      block.next[0] == flow_.exit() ? static_cast<int>(2 * flow_.blocks.size() + 1) : block.next[0];
  if (block.ending == Ending::barrier) {
    const Value result = ir_.load("i32", warp_field(offsetof(Warp, barrier_result)), 4);
    const bool counts = at_->has("popc");
    set(counts ? result : ir_.compare("icmp ne", result, number(0)), counts ? Type::u32 : Type::pred);
    flush(index);
    return go(index, block.next[0]);
  }
  const Operand* callee = nullptr;
  std::vector<const Operand*> lists;
  for (const Operand& one : at_->operands) {
    if (one.kind == Operand::Kind::list)
      lists.push_back(&one);
    else if (!callee)
      callee = &one;
  }
  const Value address = get(*callee, Type::u64);
  const Value one = uniform(address);
  if (address.wide) {
    const Value lanes_same =
        ir_.binary("and", mask(), ir_.mask_bits(ir_.compare("icmp eq", address, one)));
    const Value others = ir_.binary("xor", mask(), lanes_same);
    const std::string mixed = ir_.fresh_label(), together = ir_.fresh_label();
    ir_.line(cat("br ", ir_.compare("icmp eq", others, number(0)).typed(), ", label %", together,
                 ", label %", mixed));
    ir_.label(mixed);
    open(behind);
    push(number(resume_number(index)), number(met(behind)), others);
    ir_.store(lanes_same, "%mask", 4);
    ir_.line(cat("br label %", together));
    ir_.label(together);
  }
  // call (results), callee, (arguments): either list may be missing.
  const bool results_first = at_->operands[0].kind == Operand::Kind::list;
  const auto area = [&](const Operand* list) -> std::string {
    if (!list || list->items.empty()) return "null";
    return ir_.at("%frame", layout_.arguments.at(list->items[0].name));
  };
  const Operand* results = results_first ? lists[0] : nullptr;
  const Operand* arguments =
      results_first ? (lists.size() > 1 ? lists[1] : nullptr) : (lists.empty() ? nullptr : lists[0]);
  ir_.store({area(arguments), "ptr"}, warp_field(offsetof(Warp, call_arguments)), 8);
  ir_.store({area(results), "ptr"}, warp_field(offsetof(Warp, call_results)), 8);
  ir_.store({ir_.pointer(one), "ptr"}, warp_field(offsetof(Warp, callee)), 8);
  ir_.store(number(packed_line(at_->line.file, at_->line.line)), warp_field(offsetof(Warp, line)), 4);
  ir_.store(ir_.load("i32", "%mask", 4), warp_field(offsetof(Warp, call_mask)), 4);
  save(number(behind));
  leave(number(action_call));
}

}  // namespace twin
