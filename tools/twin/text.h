#pragma once

#include <cstdio>
#include <string>

namespace twin_command {

/// printf into a string.
template <class... Values> std::string format(const char* pattern, Values... values) {
  const int size = std::snprintf(nullptr, 0, pattern, values...);
  std::string result(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(result.data(), result.size(), pattern, values...);
  result.pop_back();
  return result;
}

}  // namespace twin_command
