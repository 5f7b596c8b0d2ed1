// PTX's instructions on plain numbers, one thread's, written from their definitions: slow, and nothing of it is the
// engine's. Values are the bits of registers.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace scalar {

using Values = std::vector<uint64_t>;

/// What an instruction without memory, flow or other lanes writes, for what it reads. False where it isn't known.
bool evaluate(const twin::ptx::Instruction& instruction, const Values& in, Values* out);

uint64_t cut(uint64_t value, unsigned bits);
int64_t with_sign(uint64_t value, unsigned bits);

}  // namespace scalar
