#pragma once

#include <string>

#include "commands.h"

namespace command {

/// The parts of `torchlight verify` that look at a plug-in from above, through the core. Each runs in a process
/// of its own.
struct CorePart {
  const char* name;
  const char* what;  ///< for people
};
inline constexpr CorePart core_parts[] = {
    {"identity", "the file is found, trusted, loaded, opened, and passes the self-check"},
    {"training", "a small network learns with the losses and gradients of cpu"},
    {"threads", "four threads at once get what one gets"},
    {"speed", "operations beside cpu; no verdict"},
};

/// Runs one in this process; gives the exit status.
int verify_part(Output& out, const VerifyPartOptions& options);

}  // namespace command
