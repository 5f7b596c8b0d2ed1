// Which registers an instruction writes and reads.
#pragma once

#include "ptx/module.h"

namespace twin {

/// How many operands at the front are written: 0 or 1. It may be a list or a pair.
inline bool writes_first(const ptx::Instruction& i) {
  static constexpr const char* silent[] = {
      "st",       "red",       "bra",     "brx",   "bar",           "barrier", "ret",
      "exit",     "call",      "membar",  "fence", "prefetch",      "trap",    "nanosleep",
      "stmatrix", "prefetchu", "discard", "brkpt", "applypriority", "pmevent"};
  for (const char* name : silent)
    if (i.opcode == name) return (i.opcode == "bar" || i.opcode == "barrier") && i.has("red");
  return !i.operands.empty();
}

/// A literal that means the same in every width and sign.
inline bool is_plain_number(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::integer && operand.bits <= INT32_MAX;
}

template <class Use> void for_each_register(const ptx::Operand& operand, Use use) {
  if (operand.reg >= 0) use(operand.reg);
  for (const ptx::Operand& item : operand.items) for_each_register(item, use);
}

/// use(register) for each that is written.
template <class Use> void for_each_written(const ptx::Instruction& i, Use use) {
  if (writes_first(i)) for_each_register(i.operands.front(), use);
}

/// use(register) for each that is read. What is written for some lanes alone is read as well.
template <class Use> void for_each_read(const ptx::Instruction& i, Use use) {
  if (i.guard >= 0) {
    use(i.guard);
    for_each_written(i, use);
  }
  for (size_t k = writes_first(i) ? 1 : 0; k < i.operands.size(); ++k)
    for_each_register(i.operands[k], use);
}

}  // namespace twin
