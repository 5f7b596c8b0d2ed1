#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace torchlight {

/// `words` as a terminal or a log may be given them: control characters (C0, DEL, C1) and bytes that are not
/// UTF-8 are written as a backslash, x and two hex digits; all other UTF-8 stays. For names and other words
/// from outside, which may hold anything.
std::string printable(std::string_view words);

/// What every function of the library throws on bad input or a failing device. The text names the
/// operation, what was expected, what came, and what to do about it:
///   "matmul: inner dimensions differ: (2, 3) @ (4, 2) (3 against 4)"
/// It may have several lines. It is printable otherwise, whatever the names in it are.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string_view text);
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
