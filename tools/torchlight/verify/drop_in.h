#pragma once

#include <string>
#include <utility>
#include <vector>

/// What `torchlight verify` has to know of kernel drop-ins. cpu_twin judges them: given one file and nothing else, it
/// declines each call that the file doesn't take, and so the same cases are tried as on a plug-in.
namespace command {

/// A launcher of layernorm has an eps of its own, so its rows are moved and scaled, which rounds them: what it may be
/// farther away than a plug-in, in units of the last place of the largest result.
inline constexpr const char* drop_in_slack = "4";

/// Whether it has the note of a plug-in.
bool is_plugin(const std::string& file);
/// Whether a file is judged as one: a source, or a shared object of a drop-in's name that isn't a plug-in.
bool is_drop_in(const std::string& file);
/// What the file's family may do, as the conformance runner names it; none for a name that no family has.
std::vector<std::string> drop_in_primitives(const std::string& file);
/// What cpu_twin must be told.
std::vector<std::pair<std::string, std::string>> drop_in_settings(const std::string& file);

/// What cpu_twin makes of it. For a process of its own, as the settings go into its environment.
struct DropInReport {
  std::string refusal;  ///< why nothing of it is used
  std::vector<std::pair<std::string, std::string>>
      routes;  ///< primitive; "used: " form, limits or "not used: " why
};
DropInReport examine_drop_in(const std::string& file);

}  // namespace command
