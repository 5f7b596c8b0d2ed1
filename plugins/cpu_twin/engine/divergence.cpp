#include "engine/divergence.h"

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
  if (name == "%tid.y" || name == "%tid.z") return !shape.warps_along_x;
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
bool is_agreed(const Instruction& i, const std::vector<bool>& varying) {
  if (i.opcode == "activemask" || i.opcode == "bar" || i.opcode == "barrier") return true;
  if (i.opcode != "vote" && i.opcode != "redux" && !(i.opcode == "match" && i.has("all"))) return false;
  const int members = i.operands.size() > 2 ? i.operands[2].reg : -1;
  return members < 0 || !varying[static_cast<size_t>(members)];
}

class Analysis {
 public:
  Analysis(const ptx::Function& function, const Flow& flow, const Liveness& live, Shape shape)
      : function_(function), flow_(flow), live_(live), shape_(shape) {
    found_.varying.resize(function.registers.size());
    found_.branch.resize(flow.blocks.size());
    found_.keep.assign(flow.blocks.size(), RegisterSet(function.registers.size()));
  }

  Divergence run() {
    do {
      changed_ = false;
      for (const Instruction& i : function_.code) follow(i);
      for (size_t b = 0; b < flow_.blocks.size(); ++b) part(b);
    } while (changed_);
    return std::move(found_);
  }

 private:
  bool varies_now(int r) const { return found_.varying[static_cast<size_t>(r)]; }
  void set_varying(size_t r) {
    if (!found_.varying[r]) found_.varying[r] = changed_ = true;
  }

  void follow(const Instruction& i) {
    bool varying = is_source(i, function_, shape_);
    for_each_read(i, [&](int r) { varying = varying || varies_now(r); });
    if (is_agreed(i, found_.varying)) varying = false;
    if (varying) for_each_written(i, [&](int r) { set_varying(static_cast<size_t>(r)); });
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
        if (live_.written[b][r]) set_varying(r);
      }
    }
  }

  const ptx::Function& function_;
  const Flow& flow_;
  const Liveness& live_;
  Shape shape_;
  Divergence found_;
  bool changed_ = false;
};

}  // namespace

Divergence divergence_of(const ptx::Function& function, const Flow& flow, const Liveness& live, Shape shape) {
  return Analysis(function, flow, live, shape).run();
}

}  // namespace twin
