#pragma once

#include <stdexcept>

namespace twin {

/// Source that can't be compiled for the twin: it is wrong, or asks for what the twin doesn't have. The text
/// says which file, line and instruction.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace twin
