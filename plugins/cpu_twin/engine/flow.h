// The control flow of one function: blocks, who follows whom, and where diverged lanes meet again.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace twin {

/// How a block ends. Barriers and calls end one because a warp leaves the machine code there and comes back
/// into the block behind: all that lives on is in its frame then.
enum class Ending : uint8_t { jump, branch, table, leave, barrier, call, trap };

struct Block {
  size_t begin = 0, end = 0;  // instructions; the last one is the ending, but for a plain jump
  Ending ending = Ending::jump;
  std::vector<int> next;       // branch: {taken, not taken}; Flow::exit() for what leaves the function
  bool explicit_jump = false;  // the last instruction is a bra
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<int> join;      // the immediate post-dominator of each block
  std::vector<bool> is_join;  // of a branch that may diverge
  int exit() const { return static_cast<int>(blocks.size()); }

  /// The blocks that can be reached from `from` without passing `end`; `from` is one of them unless it is `end`.
  std::vector<bool> region(int from, int end) const;
};

/// Whether an instruction hands a call to machine code of another function: what the support library and the
/// runtime do inside doesn't.
bool is_real_call(const ptx::Module& module, const ptx::Instruction& instruction);

/// Takes guards off all instructions that can't be executed for some lanes alone, by branches around them.
void unguard(ptx::Function& function);

Flow flow_of(const ptx::Module& module, const ptx::Function& function);

}  // namespace twin
