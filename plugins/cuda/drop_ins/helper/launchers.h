#pragma once

#include <stdexcept>
#include <string>

#include "../form.h"

/// A drop-in's shared object, opened, and its launchers. Only in a process that may end.
namespace torchlight::drop_ins {

/// What a library can't or didn't do, as a sentence about it.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Launchers {
 public:
  /// Opens the file and looks for what its family has, or Fault with the dynamic loader's words.
  Launchers(const std::string& path, Family family);

  void* function(Op op) const { return functions_[static_cast<int>(op)]; }
  Spelling spelling(Op op) const { return spellings_[static_cast<int>(op)]; }

 private:
  void* functions_[op_count] = {};
  Spelling spellings_[op_count] = {};
};

/// The names under which a launcher may stand; the second is NULL where there is none.
const char* launcher_name(Op op, Spelling spelling);

/// Why a file that needs a CUDA driver can't be called here: there is none, or no device. Asked before
/// the first call, since what nvcc builds mostly ends the process of who calls it in vain. Empty:
/// nothing against it.
std::string driver_problem(const std::string& path);

}  // namespace torchlight::drop_ins
