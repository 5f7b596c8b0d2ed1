#pragma once

#include "commands.h"

namespace command {

/// Runs a part of `torchlight verify` that looks at a plug-in from above, through the core, in this process:
///   identity  the file is found, trusted, loaded and opened, and passes the self-check
///   drop_in   a kernel drop-in is found, compiled where it is a source, and found right by its probe
///   training  a small network learns with the losses and gradients of cpu
///   threads   four threads at once get what one gets
///   speed     operations beside cpu, without a verdict
/// Gives the exit status; the report goes where the options say.
int verify_part(const VerifyPartOptions& options);

}  // namespace command
