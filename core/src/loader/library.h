#pragma once

#include <memory>
#include <string>

#include <torchlight/plugin.h>

#include "loader/dependencies.h"

namespace boost::dll {
class shared_library;
}

namespace torchlight::loader {

/// A shared object in this process. Closed when this object ends, so the one of an accepted plug-in is
/// kept for ever: there may be threads in it, and pointers into it.
class Library {
 public:
  /// Loads the file, with all symbols resolved now and none of them visible to others. Its dependencies are
  /// for the message: Rejection if it can't be loaded; nothing is left behind.
  /// REQUIRES: an absolute path without links, and that the file passed the first gate.
  Library(const std::string& file, const Dependencies& dependencies);
  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;
  ~Library();

  using Entry = std::int32_t (*)(const tl_host*, const tl_backend**, tl_error*) noexcept;
  /// The plug-in's one exported function. Rejection if it isn't there, with the major of the ABI that is
  /// there instead.
  Entry entry() const;

 private:
  std::unique_ptr<boost::dll::shared_library> library_;
};

}  // namespace torchlight::loader
