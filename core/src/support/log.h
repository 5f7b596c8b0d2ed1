#pragma once

#include <string>

/// The library's log: lines on standard error, the level from TORCHLIGHT_LOG (trace, debug, info, warn,
/// error, off; warn by default). Safe from any thread and until the very end of the process.
namespace torchlight::log {

enum class Level { trace, debug, info, warn, error, off };

bool enabled(Level level);
void write(Level level, const std::string& line);

inline void debug(const std::string& line) { write(Level::debug, line); }
inline void info(const std::string& line) { write(Level::info, line); }
inline void warn(const std::string& line) { write(Level::warn, line); }
inline void error(const std::string& line) { write(Level::error, line); }

}  // namespace torchlight::log
