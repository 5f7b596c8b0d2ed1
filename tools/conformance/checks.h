#pragma once

#include <string>
#include <vector>

#include "stage.h"

/// What is asked of a plug-in for one case. Each check gives an empty text or what is wrong.
namespace torchlight::test {

/// A case with its operands, what it should give, and what it gave the first time.
struct Trial {
  const Case& c;
  Arrays arrays;
  std::vector<reference::Result> want;  ///< empty where the contract doesn't say
  Execution first;
};

/// Right values, nothing else written, nothing else changed, nothing allocated.
std::string check_values(Stage& stage, const Trial& trial);
/// The same wherever the memory stands and whoever does the work: to the bit where the plug-in says
/// that it is repeatable, otherwise within the bounds.
std::string check_repeatable(Stage& stage, const Trial& trial);
/// In place where the plug-in says so.
std::string check_in_place(Stage& stage, const Trial& trial);
/// An element's result doesn't depend on where in a row it stands: vectors and their tails agree.
std::string check_positions(Stage& stage, const Trial& trial);
/// With other values in the same memory, and with one element changed: nothing is remembered.
std::string check_fresh(Stage& stage, const Trial& trial);
/// On devices with memory of their own: when stream_sync has returned, the work is done, and its inputs may become others.
std::string check_finished(Stage& stage, const Trial& trial);
/// Argument structs, views and answers of other sizes than today's.
std::string check_sizes(Stage& stage, const Trial& trial);
/// Calls that must not be done are refused with a reason, and nothing is written.
std::string check_refusals(Stage& stage, const Trial& trial);
/// Indices out of range are found before anything is written.
std::string check_indices(Stage& stage, const Trial& trial);

/// What there is besides the primitives, once for a plug-in: names, devices, extensions.
std::string check_device(const Plugin& plugin);
/// Opening leaves the process as it was.
std::string check_surroundings(const Plugin& plugin);
/// Functions that allocate fail with a reason where there is no memory.
std::string check_control_out_of_memory(const Plugin& plugin);
/// Order within streams and between them, for devices with memory of their own.
std::string check_streams(const Plugin& plugin);

}  // namespace torchlight::test
