#include "engine/divergence.h"

#include <algorithm>
#include <string_view>

#include "engine/uses.h"

namespace twin {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;

bool varies(const Operand& operand, const ptx::Function& function, Shape shape) {
  for (const Operand& item : operand.items)
    if (varies(item, function, shape)) return true;
  const std::string_view name = operand.name;
  if (name == "%tid.x" || name == "%laneid" || name.starts_with("%lanemask")) return true;
  if (name == "%tid.y" || name == "%tid.z") return shape.rows != 1;
  for (const ptx::Variable& local : function.locals)  // each lane has its own
    if (local.name == name) return local.space == Space::local;
  return false;
}

/// Whether an instruction's result differs between lanes though its operands don't.
bool is_source(const Instruction& i, const ptx::Function& function, Shape shape) {
  if (i.opcode == "atom" || i.opcode == "shfl" || i.opcode == "call") return true;
  if (i.opcode == "match" && i.has("any")) return true;
  // Parameters of a kernel are the launch's; those of a function, and results of calls, are each lane's own.
  if (i.opcode == "ld" && i.space() == Space::param) {
    if (!function.kernel) return true;
    for (const ptx::Variable& local : function.locals)
      if (local.name == i.operands.at(1).name) return true;
  }
  for (size_t k = 1; k < i.operands.size(); ++k)
    if (varies(i.operands[k], function, shape)) return true;
  return false;
}

/// Ballots are the same for all who take part: those whom one mask names.
template <class Varies> bool is_agreed(const Instruction& i, Varies varies) {
  if (i.opcode == "activemask" || i.opcode == "bar" || i.opcode == "barrier") return true;
  if (i.opcode != "vote" && i.opcode != "redux" && !(i.opcode == "match" && i.has("all"))) return false;
  const int members = i.operands.size() > 2 ? i.operands[2].reg : -1;
  return members < 0 || !varies(members);
}

/// What is known of a value, from nothing yet to nothing at all: one for all lanes; a step from lane to lane; a step
/// that holds unless numbers wrapped around, which is known at run time (`guarded`).
struct Class {
  enum Kind : uint8_t { unknown, uniform, stepping, guarded, anything } kind = unknown;
  int64_t step = 0;
  int64_t most = -1;  // it lies between 0 and this; -1: not known
  bool operator==(const Class&) const = default;
};

Class joined(Class a, Class b) {
  if (a.kind == Class::unknown || a == b) return b;
  if (b.kind == Class::unknown) return a;
  const auto step = [](Class c) { return c.kind == Class::uniform ? 0 : c.step; };
  const auto kind = std::max(a.kind, b.kind);
  if (kind == Class::uniform) return {Class::uniform};
  if (kind == Class::anything || step(a) != step(b)) return {Class::anything};
  return {kind, step(a)};
}

class Analysis {
 public:
  Analysis(const ptx::Function& function, const Flow& flow, const Liveness& live, Shape shape)
      : function_(function), flow_(flow), live_(live), shape_(shape) {
    class_.resize(function.registers.size());
    found_.branch.resize(flow.blocks.size());
    found_.keep.assign(flow.blocks.size(), RegisterSet(function.registers.size()));
  }

  Divergence run() {
    do {
      changed_ = false;
      for (const Instruction& i : function_.code) follow(i);
      for (size_t b = 0; b < flow_.blocks.size(); ++b) part(b);
    } while (changed_);
    for (const Class& known : class_) {
      found_.varying.push_back(known.kind >= Class::stepping);
      const bool steps = known.kind == Class::stepping || known.kind == Class::guarded;
      found_.step.push_back(steps ? std::optional(known.step) : std::nullopt);
      found_.guarded.push_back(known.kind == Class::guarded);
    }
    return std::move(found_);
  }

 private:
  bool varies_now(int r) const { return class_[static_cast<size_t>(r)].kind >= Class::stepping; }
  void raise(int r, Class to) {
    Class& now = class_[static_cast<size_t>(r)];
    const Class next = joined(now, to);
    if (next != now) now = next, changed_ = true;
  }

  Class class_of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) return class_[static_cast<size_t>(operand.reg)];
    if (operand.kind == Operand::Kind::integer)
      return {Class::uniform, 0, operand.bits < (1U << 30) ? static_cast<int64_t>(operand.bits) : -1};
    if (shape_.rows > 0) {
      if (operand.name == "%tid.x") return {Class::stepping, 1, 1023};
      if (operand.name == "%laneid" && shape_.rows == 1) return {Class::stepping, 1, 31};
      if ((operand.name == "%tid.y" || operand.name == "%tid.z") && shape_.rows > 1)
        return {Class::stepping, 0, 1023};
    }
    return {varies(operand, function_, shape_) ? Class::anything : Class::uniform};
  }

  /// A bound that is far from where 32 bits end; else none.
  static int64_t bound(int64_t most) { return most >= 0 && most < (1 << 30) ? most : -1; }

  static Class product(Class a, Class b, const Operand& by, unsigned bits) {
    if (a.kind == Class::uniform && b.kind == Class::uniform) return {Class::uniform};
    if (a.kind < Class::stepping || a.kind > Class::guarded || b.kind != Class::uniform)
      return {Class::anything};
    const int64_t most = a.most >= 0 && b.most >= 0 ? bound(a.most * b.most) : -1;
    if (is_plain_number(by))
      return {a.kind, wrapped(static_cast<uint64_t>(a.step) * by.bits, bits), most};
    return a.step == 0 ? Class{a.kind, 0, most} : Class{Class::anything};
  }

  static Class sum(Class a, Class b, int64_t sign, unsigned bits) {
    if (a.kind == Class::unknown || b.kind == Class::unknown) return {};
    const auto kind = std::max(a.kind, b.kind);
    if (kind == Class::anything || kind == Class::uniform) return {kind};
    const int64_t most = sign > 0 && a.most >= 0 && b.most >= 0 ? bound(a.most + b.most) : -1;
    const uint64_t added = static_cast<uint64_t>(sign) * static_cast<uint64_t>(b.step);
    return {kind, wrapped(static_cast<uint64_t>(a.step) + added, bits), most};
  }

  /// Of 32 bits to 64.
  Class extended(Class a) const {
    if (a.kind < Class::stepping || a.kind == Class::anything || a.most >= 0) return a;
    const int64_t reach = a.step * (32 / shape_.rows - 1);
    if (reach == 0) return a;
    return reach > INT32_MAX || reach < INT32_MIN ? Class{Class::anything}
                                                  : Class{Class::guarded, a.step};
  }

  /// The class of a result, where it can be told.
  Class computed(const Instruction& i) const {
    const unsigned bits = ptx::bits_of(i.type());
    if ((bits != 32 && bits != 64) || ptx::is_float(i.type()) || i.has("sat") || i.has("cc") ||
        i.guard >= 0)
      return {Class::anything};
    const auto operand = [&](size_t k) { return class_of(i.operands[k]); };
    const std::string& op = i.opcode;
    if (op == "mov" || op == "cvta")
      return i.operands[1].kind == Operand::Kind::list ? Class{Class::anything} : operand(1);
    const int from = op == "cvt" ? i.operands[1].reg : -1;  // it may read a part of a wider register
    if (op == "cvt")
      return from >= 0 && ptx::bits_of(function_.registers[static_cast<size_t>(from)].type) == 32 &&
                     bits == 32 && ptx::bits_of(i.type(1)) == 64 && !ptx::is_float(i.type(1))
                 ? extended(operand(1))
                 : Class{Class::anything};
    if (op == "add") return sum(operand(1), operand(2), 1, bits);
    if (op == "sub") return sum(operand(1), operand(2), -1, bits);
    const auto is_number = [&](size_t k) { return i.operands[k].kind == Operand::Kind::integer; };
    if (op == "shl" && is_number(2) && i.operands[2].bits < bits &&
        operand(1).kind >= Class::stepping && operand(1).kind <= Class::guarded) {
      const Class a = operand(1);
      const uint64_t by = i.operands[2].bits;
      return {a.kind, wrapped(static_cast<uint64_t>(a.step) << by, bits),
              a.most >= 0 && by < 30 ? bound(a.most << by) : -1};
    }
    const bool wide = i.has("wide");
    if ((op != "mul" && op != "mad") || (!i.has("lo") && !(wide && bits == 32)))
      return {Class::anything};
    const auto factor = [&](size_t k) { return wide ? extended(operand(k)) : operand(k); };
    const unsigned made = wide ? 64 : bits;
    Class times = product(factor(1), factor(2), i.operands[2], made);
    if (times.kind == Class::anything) times = product(factor(2), factor(1), i.operands[1], made);
    return op == "mul" ? times : sum(times, operand(3), 1, made);
  }

  void follow(const Instruction& i) {
    bool varying = is_source(i, function_, shape_);
    for_each_read(i, [&](int r) { varying = varying || varies_now(r); });
    if (is_agreed(i, [&](int r) { return varies_now(r); })) varying = false;
    Class result{Class::uniform};
    if (varying) {
      result = shape_.rows > 0 ? computed(i) : Class{Class::anything};
      if (result.kind == Class::unknown) return;  // until more is known of what it reads
    }
    for_each_written(i, [&](int r) { raise(r, result); });
  }

  bool may_diverge(const Block& block) const {
    if (block.next.size() < 2) return false;
    const Instruction& last = function_.code[block.end - 1];
    if (block.ending == Ending::table) return varies_now(last.operands.at(0).reg);
    return varies_now(last.guard);
  }

  void part(size_t b) {
    const Block& block = flow_.blocks[b];
    if (found_.branch[b] || !may_diverge(block)) return;
    found_.branch[b] = changed_ = true;
    const int join = flow_.join[b];
    for (size_t side = 0; side < block.next.size(); ++side) {
      RegisterSet waiting = live_.in[static_cast<size_t>(join)];
      for (size_t other = 0; other < block.next.size(); ++other) {
        if (other == side || block.next[other] == block.next[side]) continue;
        const RegisterSet& alive = live_.in[static_cast<size_t>(block.next[other])];
        for (size_t r = 0; r < waiting.size(); ++r) waiting[r] = waiting[r] || alive[r];
      }
      protect(flow_.region(block.next[side], join), waiting);
    }
  }

  void protect(const std::vector<bool>& region, const RegisterSet& waiting) {
    for (size_t b = 0; b < region.size(); ++b) {
      if (!region[b]) continue;
      for (size_t r = 0; r < waiting.size(); ++r) {
        if (!waiting[r]) continue;
        found_.keep[b][r] = true;
        if (live_.written[b][r]) raise(static_cast<int>(r), {Class::anything});
      }
    }
  }

  const ptx::Function& function_;
  const Flow& flow_;
  const Liveness& live_;
  Shape shape_;
  Divergence found_;
  std::vector<Class> class_;
  bool changed_ = false;
};

}  // namespace

Divergence divergence_of(const ptx::Function& function, const Flow& flow, const Liveness& live,
                         Shape shape) {
  return Analysis(function, flow, live, shape).run();
}

}  // namespace twin
