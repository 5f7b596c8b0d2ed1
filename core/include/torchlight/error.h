#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace torchlight {

/// What every function of the library throws on bad input or a failing device. The text names the
/// operation, what was expected, what came, and what to do about it:
///   "matmul: inner dimensions differ: (2, 3) @ (4, 2) (3 against 4)"
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device that isn't there, can't be used, or failed. The text lists what is known and, for each
/// rejected plug-in file, the reason.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A file that can't be read or written, or whose content is wrong. The text names the file and, where
/// there is one, the place in it.
class FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace torchlight
#pragma GCC visibility pop
