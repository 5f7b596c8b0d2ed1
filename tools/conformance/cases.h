#pragma once

#include <cstdint>
#include <vector>

#include "case.h"

/// The cases that every plug-in is tried on.
namespace torchlight::test {

/// All of one operation: each row of ops.def that belongs to it × each dtype of the row's domain ×
/// shapes × how the operands lie in memory × values.
std::vector<Case> cases(Op op);

/// A case that nobody thought of. Most are ordinary; some ask for what a plug-in may decline.
Case random_case(std::uint64_t seed);

/// Of each primitive, in float32: rows whose lengths lie beside powers of two, and as many as `drawn` of any length
/// up to 66,000, so that nobody knows which are tried.
std::vector<Case> long_cases(std::uint64_t seed, std::uint64_t drawn);

}  // namespace torchlight::test
