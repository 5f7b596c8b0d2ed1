#pragma once

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include <torchlight/ext/details.h>
#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

#include "host.h"

/// A plug-in file opened directly, as plain as dlopen makes it: no note, no checks, no core.
namespace torchlight::test {

struct PluginError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A tl_error with its own memory. What lies behind `capacity` is watched.
class ErrorText {
 public:
  explicit ErrorText(std::uint32_t capacity = 256);
  tl_error* get() { return &error_; }
  std::string text() const;
  /// What is wrong with it: not one line of UTF-8, not closed, written beyond the capacity; or empty.
  std::string fault() const;

 private:
  std::array<char, 272> memory_;
  tl_error error_;
};

class Plugin {
 public:
  /// Opens the file and its device `index`. Throws PluginError with the plug-in's words.
  Plugin(const std::string& path, const TestHost& host, std::uint32_t index = 0);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const tl_backend& table() const { return table_; }  ///< NULL for what is missing
  tl_device* device() const { return device_; }
  const tl_device_info& info() const { return info_; }
  bool is_host() const { return info_.memory_space == TL_SPACE_HOST; }
  /// What TL_VIEW_ALIGNED promises.
  std::uint64_t alignment() const { return is_host() ? 64 : info_.alignment; }

  /// "the locale" and so on, where loading and opening it changed that of the process; mostly empty.
  const std::string& changed_by_opening() const { return changed_; }
  /// How many threads it had started when it was open.
  std::uint64_t own_threads() const { return threads_; }

  const tl_details_table* details_table() const { return extension<tl_details_table>(TL_EXT_DETAILS); }
  const tl_index_table* index_table() const { return extension<tl_index_table>(TL_EXT_INDEX); }
  const tl_optim_table* optim_table() const { return extension<tl_optim_table>(TL_EXT_OPTIM); }
  const tl_scan_table* scan_table() const { return extension<tl_scan_table>(TL_EXT_SCAN); }
  const tl_random_table* random_table() const { return extension<tl_random_table>(TL_EXT_RANDOM); }

 private:
  template <class T> const T* extension(const char* id) const {
    return table_.extension ? static_cast<const T*>(table_.extension(device_, id)) : nullptr;
  }

  tl_backend table_{};
  tl_device* device_ = nullptr;
  tl_device_info info_{};
  std::string changed_;
  std::uint64_t threads_ = 0;
};

}  // namespace torchlight::test
