#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <torchlight/ext/host_parallel.h>
#include <torchlight/plugin.h>

/// The core's side of the ABI as small as it can be, so that plug-ins are tested without the core.
namespace torchlight::test {

/// In which order and by how many threads the host's pool works. Results must not depend on it.
struct Workers {
  std::uint32_t threads = 1;
  bool backwards = false;  ///< serial only: the highest index first
};
void set_workers(Workers workers);

class TestHost {
 public:
  /// `settings` is all that tl_host.setting knows.
  explicit TestHost(std::map<std::string, std::string> settings = {});

  const tl_host* table() const { return &face_.table; }
  const std::vector<std::string>& log() const { return log_; }

 private:
  struct Face {  // the table first: a tl_host* is a Face*
    tl_host table;
    TestHost* self;
  };
  static void write_log(const tl_host* host, std::uint32_t level, const char* text) noexcept;
  static const char* setting(const tl_host* host, const char* name) noexcept;
  static const void* extension(const tl_host* host, const char* id) noexcept;

  Face face_;
  std::map<std::string, std::string> settings_;
  std::vector<std::string> log_;
};

}  // namespace torchlight::test
