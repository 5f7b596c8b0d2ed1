#pragma once

#include <vector>

#include "operand.h"

/// The computing: plain loops over elements, in double. They run on a stream's thread, with arguments that
/// passed the checks.
namespace remote {

void run_map(std::uint32_t fn, const Operand* input, const Operand& output, const double* params);
void run_zip(std::uint32_t fn, const std::vector<Operand>& inputs, const Operand& output,
             const double* params);
void run_reduce(std::uint32_t fn, std::uint32_t axes, const Operand& input, const Operand& output,
                double* scratch);
void run_matmul(const Operand& a, const Operand& b, const Operand& output, double alpha, double beta,
                double* scratch);

}  // namespace remote
