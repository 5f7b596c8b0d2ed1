// Where verdicts go.
#pragma once

#include <nlohmann/json.hpp>

#include "command.h"

namespace twin_command {

/// Whether standard output belongs to a verdict alone.
inline bool json_to_stdout(const Options& options) {
  return options.json && (options.json->empty() || *options.json == "-");
}

/// Fails now where --json couldn't be written later.
void want_writable(const Options& options);
/// Writes it where --json says, if it does. Throws where it can't.
void write_verdict(const Options& options, const nlohmann::ordered_json& verdict);

}  // namespace twin_command
