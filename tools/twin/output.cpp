#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace twin_command {

void want_writable(const Options& options) {
  if (!options.json || json_to_stdout(options)) return;
  if (!std::ofstream(*options.json, std::ios::app))
    throw BadInput(*options.json + " can't be written: " + std::strerror(errno));
}

void write_verdict(const Options& options, const nlohmann::ordered_json& verdict) {
  if (!options.json) return;
  const std::string text =
      verdict.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (json_to_stdout(options)) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (std::fflush(stdout) != 0)
      throw std::runtime_error(std::string("standard output can't be written: ") +
                               std::strerror(errno));
    return;
  }
  std::ofstream file(*options.json, std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(*options.json + " can't be written: " + std::strerror(errno));
}

}  // namespace twin_command
