// One instruction in all lanes, on many operands: what the semantics test tries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace scalar {

/// Operands of one thread, of each kind: %la … of 64 bits, %da … doubles, %a … of 32, %fa … floats. Integers of 16 bits
/// are the low ones of %a (%ha), halves are %ga.
struct Operands {
  uint64_t longs[4];
  double doubles[4];
  uint32_t words[4];
  float floats[4];
  uint16_t halves[4];
};

/// The text of a kernel `rows` that does each instruction and stores its result, 64 bits for each thread and row.
/// A result is %x, %lx, %fx, %dx, %hx or the predicate %p.
std::string kernel_of(const std::vector<std::string>& instructions);

/// What an instruction reads, by the names above; and the kind of its result ("x", "lx", … "p").
std::vector<uint64_t> inputs_of(const twin::ptx::Function& function, const twin::ptx::Instruction& i,
                                const Operands& operands);

/// Every triple of some edges, and random ones, a multiple of 32.
std::vector<Operands> all_operands();

}  // namespace scalar
