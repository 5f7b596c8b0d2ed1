// A kernel by the name that a launch gives it.
#pragma once

#include <string>
#include <vector>

#include "runtime/module.h"
#include "type.h"

namespace twin_command {

/// A source that is loaded.
struct Module {
  std::string file;
  twin::LoadedModule* module = nullptr;
};

/// A kernel as the source has it.
struct Found {
  twin::LoadedModule* module = nullptr;
  const twin::LoadedKernel* kernel = nullptr;
  Signature signature;
};

/// By its name in the source, with the arguments of a template where several would fit. BadInput that lists those that
/// there are.
Found find_kernel(const std::vector<Module>& modules, const std::string& name,
                  const std::vector<std::string>& compile);

}  // namespace twin_command
