#pragma once

#include <string>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::io {

/// What `read` gives. An Error about the content of a file becomes a FileError that names the file.
template <class Read> auto reading(const std::string& path, Read&& read) {
  try {
    return read();
  } catch (const FileError&) {
    throw;  // it names the file already
  } catch (const DeviceError&) {
    throw;  // no fault of the file
  } catch (const Error& error) {
    throw FileError(text(path, ": ", error.what()));
  }
}

}  // namespace torchlight::io
