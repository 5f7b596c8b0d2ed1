// A number of the command line as an argument of a kernel.
#pragma once

#include "type.h"

namespace twin_command {

/// Writes it to `place` as the parameter's type has it. BadInput where it is none, or doesn't fit; `what` is the
/// parameter for messages.
void pass_number(const std::string& text, const Type& type, std::uint32_t bytes,
                 const std::string& what, char* place);

}  // namespace twin_command
