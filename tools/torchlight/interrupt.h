#pragma once

namespace command {

/// From now on the first Ctrl-C or SIGTERM is only remembered; the second one ends the process.
void catch_interrupts();

/// The signal that came, or 0.
int interrupted();

}  // namespace command
