#include "engine/flow.h"

#include <algorithm>
#include <unordered_map>

#include "error.h"

namespace twin {
namespace {

using ptx::Function;
using ptx::Instruction;

bool calls(const Instruction& i, std::string_view name) {
  return i.opcode == "call" && std::any_of(i.operands.begin(), i.operands.end(),
                                           [&](const ptx::Operand& o) { return o.name == name; });
}

bool is_barrier(const Instruction& i) {
  if (calls(i, "__twin_grid_sync")) return true;  // of all blocks
  return (i.opcode == "bar" || i.opcode == "barrier") && !i.has("warp");
}

/// The ending that an instruction makes, or jump where it makes none.
Ending ending_of(const ptx::Module& module, const Instruction& i) {
  if (i.opcode == "bra") return i.guard >= 0 ? Ending::branch : Ending::jump;
  if (i.opcode == "brx") return Ending::table;
  if (i.opcode == "ret" || i.opcode == "exit") return Ending::leave;
  if (i.opcode == "trap") return Ending::trap;
  if (is_barrier(i)) return Ending::barrier;
  if (i.opcode == "call" && is_real_call(module, i)) return Ending::call;
  return Ending::jump;
}

bool ends_block(const ptx::Module& module, const Instruction& i) {
  return i.opcode == "bra" || ending_of(module, i) != Ending::jump;
}

class Blocks {
 public:
  Blocks(const ptx::Module& module, const Function& function) : module_(module), function_(function) {}

  std::vector<Block> make() {
    const std::vector<bool> begins = beginnings();
    for (size_t at = 0; at < function_.code.size(); ++at) {
      if (begins[at]) {
        close(at);
        flow_.push_back({at, at, Ending::jump, {}, false});
      }
      number_[at] = static_cast<int>(flow_.size()) - 1;
    }
    close(function_.code.size());
    if (flow_.empty()) flow_.push_back({0, 0, Ending::jump, {}, false});
    for (const ptx::Label& label : function_.labels)
      labels_[label.name] = label.at < function_.code.size() ? number_[label.at] : exit();
    for (size_t b = 0; b < flow_.size(); ++b) connect(b);
    return std::move(flow_);
  }

 private:
  int exit() const { return static_cast<int>(flow_.size()); }
  void close(size_t end) {
    if (!flow_.empty()) flow_.back().end = end;
  }

  std::vector<bool> beginnings() {
    const size_t count = function_.code.size();
    number_.resize(count);
    std::vector<bool> begins(count + 1);
    begins[0] = true;
    for (const ptx::Label& label : function_.labels) begins[label.at] = true;
    for (size_t at = 0; at < count; ++at)
      if (ends_block(module_, function_.code[at])) begins[at + 1] = true;
    return begins;
  }

  int target(const std::string& label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) throw CompileError(function_.name + ": there is no label " + label);
    return found->second;
  }

  void connect(size_t index) {
    Block& block = flow_[index];
    const int behind = static_cast<int>(index) + 1;  // of the last block: the exit
    if (block.begin == block.end) {
      block.next = {behind};
      return;
    }
    const Instruction& last = function_.code[block.end - 1];
    block.ending = ending_of(module_, last);
    switch (block.ending) {
      case Ending::jump:
        block.explicit_jump = last.opcode == "bra";
        block.next = {block.explicit_jump ? target(last.operands.at(0).name) : behind};
        break;
      case Ending::branch: block.next = {target(last.operands.at(0).name), behind}; break;
      case Ending::table: block.next = targets(last.operands.at(1).name); break;
      case Ending::leave:
        block.next = {exit()};
        if (last.guard >= 0) block.next.push_back(behind);
        break;
      case Ending::trap: block.next = {exit()}; break;
      case Ending::barrier:
      case Ending::call: block.next = {behind}; break;
    }
    if (block.ending == Ending::branch && block.next[0] == block.next[1]) {
      block.ending = Ending::jump;
      block.explicit_jump = true;
      block.next.pop_back();
    }
  }

  std::vector<int> targets(const std::string& name) const {
    for (const ptx::Table& table : function_.tables) {
      if (table.name != name) continue;
      std::vector<int> list;
      for (const std::string& label : table.labels) list.push_back(target(label));
      return list;
    }
    throw CompileError(function_.name + ": there is no table of branch targets " + name);
  }

  const ptx::Module& module_;
  const Function& function_;
  std::vector<Block> flow_;
  std::vector<int> number_;  // of the block of each instruction
  std::unordered_map<std::string, int> labels_;
};

/// Immediate post-dominators by iteration over the reversed graph (Cooper, Harvey and Kennedy). Blocks from
/// which nothing leads out count as if they led to the exit.
class PostDominators {
 public:
  explicit PostDominators(const std::vector<Block>& blocks)
      : exit_(static_cast<int>(blocks.size())), next_(blocks.size() + 1), before_(blocks.size() + 1) {
    for (int b = 0; b < exit_; ++b)
      for (const int to : blocks[static_cast<size_t>(b)].next) add(b, to);
    order_.assign(static_cast<size_t>(exit_) + 1, -1);
    visit(exit_);
    for (int b = exit_ - 1; b >= 0; --b) {
      if (order_[static_cast<size_t>(b)] >= 0) continue;
      add(b, exit_);
      visit(b);
    }
    // A later visit continues the numbering, but the exit must be the root of all.
    sequence_.clear();
    order_.assign(order_.size(), -1);
    visit(exit_);
  }

  std::vector<int> solve() {
    std::vector<int> above(order_.size(), -1);
    above[static_cast<size_t>(exit_)] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = sequence_.rbegin(); at != sequence_.rend(); ++at) {
        if (*at == exit_) continue;
        int best = -1;
        for (const int to : next_[static_cast<size_t>(*at)])
          if (above[static_cast<size_t>(to)] >= 0) best = best < 0 ? to : meet(above, best, to);
        if (best != above[static_cast<size_t>(*at)])
          above[static_cast<size_t>(*at)] = best, changed = true;
      }
    }
    above.pop_back();
    return above;
  }

 private:
  void add(int from, int to) {
    next_[static_cast<size_t>(from)].push_back(to);
    before_[static_cast<size_t>(to)].push_back(from);
  }

  /// Numbers in post-order of the reversed graph, without recursion: generated code can be long.
  void visit(int root) {
    std::vector<std::pair<int, size_t>> path{{root, 0}};
    order_[static_cast<size_t>(root)] = 0;
    while (!path.empty()) {
      auto& [node, child] = path.back();
      const auto& list = before_[static_cast<size_t>(node)];
      if (child < list.size()) {
        const int to = list[child++];
        if (order_[static_cast<size_t>(to)] < 0)
          order_[static_cast<size_t>(to)] = 0, path.push_back({to, 0});
      } else {
        order_[static_cast<size_t>(node)] = static_cast<int>(sequence_.size());
        sequence_.push_back(node);
        path.pop_back();
      }
    }
  }

  int meet(const std::vector<int>& above, int a, int b) const {
    while (a != b) {
      int& lower = order_[static_cast<size_t>(a)] < order_[static_cast<size_t>(b)] ? a : b;
      lower = above[static_cast<size_t>(lower)];
    }
    return a;
  }

  int exit_;
  std::vector<std::vector<int>> next_, before_;
  std::vector<int> order_, sequence_;
};

}  // namespace

bool is_real_call(const ptx::Module& module, const ptx::Instruction& i) {
  for (const ptx::Operand& operand : i.operands) {
    if (operand.kind == ptx::Operand::Kind::reg) return true;  // through a pointer
    if (operand.kind != ptx::Operand::Kind::symbol) continue;
    const ptx::Function* callee = module.function(operand.name);
    return callee && callee->defined;
  }
  return false;
}

void unguard(ptx::Function& function) {
  // Lanes that jump to the end of a kernel are gone: they must not wait there for others, whom a barrier may hold.
  std::unordered_map<std::string, size_t> labels;
  if (function.kernel)
    for (const ptx::Label& label : function.labels) labels[label.name] = label.at;
  std::vector<bool> ends(function.code.size() + 1);
  for (size_t at = 0; at < function.code.size(); ++at)
    ends[at] = (function.code[at].opcode == "ret" || function.code[at].opcode == "exit") &&
               function.code[at].guard < 0;
  const auto returns = [&](const Instruction& i) {
    if (i.opcode != "bra") return false;
    const auto found = labels.find(i.operands.at(0).name);
    return found != labels.end() && ends[found->second];
  };
  std::vector<Instruction> code;
  std::vector<size_t> moved(function.code.size() + 1);
  std::vector<ptx::Label> added;
  for (size_t at = 0; at < function.code.size(); ++at) {
    moved[at] = code.size();
    Instruction i = std::move(function.code[at]);
    if (returns(i)) {
      i.opcode = "ret";
      i.operands.clear();
    }
    const bool whole = i.guard >= 0 && (is_barrier(i) || i.opcode == "call" || i.opcode == "trap" ||
                                        i.opcode == "brx" || i.opcode == "shfl" || i.opcode == "vote" ||
                                        i.opcode == "match" || i.opcode == "redux");
    if (!whole) {
      code.push_back(std::move(i));
      continue;
    }
    Instruction around;
    around.opcode = "bra";
    around.guard = i.guard;
    around.guard_negated = !i.guard_negated;
    around.line = i.line;
    around.operands.emplace_back();
    around.operands[0].kind = ptx::Operand::Kind::symbol;
    around.operands[0].name = "around#" + std::to_string(at);
    code.push_back(std::move(around));
    i.guard = -1;
    code.push_back(std::move(i));
    added.push_back({"around#" + std::to_string(at), code.size()});
  }
  moved.back() = code.size();
  function.code = std::move(code);
  for (ptx::Label& label : function.labels) label.at = moved[label.at];
  function.labels.insert(function.labels.end(), added.begin(), added.end());
}

std::vector<bool> Flow::region(int from, int end) const {
  std::vector<bool> inside(blocks.size());
  std::vector<int> left{from};
  while (!left.empty()) {
    const int b = left.back();
    left.pop_back();
    if (b == end || b == exit() || inside[static_cast<size_t>(b)]) continue;
    inside[static_cast<size_t>(b)] = true;
    for (const int to : blocks[static_cast<size_t>(b)].next) left.push_back(to);
  }
  return inside;
}

Flow flow_of(const ptx::Module& module, const ptx::Function& function) {
  Flow flow;
  flow.blocks = Blocks(module, function).make();
  flow.join = PostDominators(flow.blocks).solve();
  flow.is_join.resize(flow.blocks.size());
  for (size_t b = 0; b < flow.blocks.size(); ++b)
    if (flow.blocks[b].next.size() > 1 && flow.join[b] != flow.exit())
      flow.is_join[static_cast<size_t>(flow.join[b])] = true;
  // Lanes may call different functions through a pointer; they meet behind the call.
  for (const Block& block : flow.blocks)
    if (block.ending == Ending::call && block.next[0] != flow.exit())
      flow.is_join[static_cast<size_t>(block.next[0])] = true;
  return flow;
}

}  // namespace twin
