#pragma once

namespace command {

/// From now on the first Ctrl-C, SIGTERM or SIGHUP (the terminal was closed) is only remembered; a Ctrl-C or
/// SIGTERM after it ends the process.
void catch_interrupts();

/// The signal that came, or 0.
int interrupted();

}  // namespace command
