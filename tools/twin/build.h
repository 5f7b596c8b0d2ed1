// Sources of the user's to what runs.
#pragma once

#include <string>
#include <vector>

#include "command.h"

namespace twin_command {

/// Every file can be read; else BadInput.
void want_readable(const std::vector<std::string>& files);

/// A program, or with `shared` a library, of CUDA sources. Throws twin::CompileError. What clang warned of goes to
/// stderr. `extra` are further sources of our own.
std::string build(const std::vector<std::string>& files, const std::vector<std::string>& compile,
                  bool shared, const std::vector<std::string>& extra = {});

/// A source of our own, kept beside what was compiled.
std::string kept_source(const std::string& text);

/// The environment in which a program's kernels are run as the options say.
std::vector<std::pair<std::string, std::string>> manner_of(const Options& options, std::uint64_t seed);

}  // namespace twin_command
