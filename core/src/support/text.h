#pragma once

#include <sstream>
#include <string>

namespace torchlight {

/// One string from parts that can be streamed: text("expected ", 3, ", got ", shape.str()).
template <class... Parts> std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

}  // namespace torchlight
