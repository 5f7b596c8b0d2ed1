#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <torchlight/device.h>
#include <torchlight/ext/details.h>
#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

namespace torchlight::loader {

/// A tl_error with its own text, for one call through the table.
class ErrorText {
 public:
  ErrorText() { text_[0] = text_[capacity] = 0; }
  tl_error* get() { return &error_; }
  std::string_view words() const { return text_; }  ///< what the plug-in wrote, maybe nothing
  /// The same for a message of a failure: that it wrote nothing is worth saying there.
  std::string_view reason() const { return *text_ ? text_ : "it gives no reason"; }

 private:
  static constexpr std::uint32_t capacity = 512;
  char text_[capacity + 1];  // the last one is ours: a plug-in may forget the closing zero
  tl_error error_{sizeof(tl_error), capacity, text_};
};

/// One device of a loaded plug-in, opened. Lives as long as the process.
class OpenDevice {
 public:
  /// Opens it. DeviceError if it can't be used.
  OpenDevice(const tl_backend& table, std::string backend_name, std::uint32_t index, bool trusted);

  const std::string& name() const { return name_; }  ///< "cpu", "cuda:1"
  std::uint32_t index() const { return index_; }
  /// Whether the plug-in is one of ours: no self-test, no watch over its floating-point mode.
  bool trusted() const { return trusted_; }
  bool is_host() const { return info_.memory_space == TL_SPACE_HOST; }
  const tl_device_info& info() const { return info_; }

  /// The table, completed with NULL to the size known here.
  const tl_backend& table() const { return table_; }
  tl_device* handle() const { return handle_; }
  const tl_index_table* index_table() const { return index_table_ ? &*index_table_ : nullptr; }
  const tl_scan_table* scan_table() const { return scan_table_ ? &*scan_table_ : nullptr; }
  const tl_random_table* random_table() const { return random_table_ ? &*random_table_ : nullptr; }
  const tl_optim_table* optim_table() const { return optim_table_ ? &*optim_table_ : nullptr; }
  std::vector<std::string> extensions() const;

  /// To be called before a primitive is used: in a forked child device backends raise DeviceError here,
  /// and a backend that isn't ours first proves itself on a tiny case with known answers. Beyond the
  /// table's primitives: 9 gather, 10 scatter_add, 11 scan, 12 random, 13 optim. 0: whatever else, nothing to prove.
  void prepare(std::uint32_t primitive) {
    if (!ready_[primitive].load(std::memory_order_acquire) || forked()) prepare_slowly(primitive);
  }

  /// To be held while the default stream is used, which takes one caller at a time. The work of a host device
  /// is done when a call returns, and many may call: nothing is locked there.
  std::unique_lock<std::mutex> use_stream() {
    return is_host() ? std::unique_lock<std::mutex>() : std::unique_lock(stream_);
  }

  /// Counts an operation that had to be done elsewhere, for the report. True the first time.
  bool count_fallback(const std::string& operation) const;
  /// True the first time: a failed device fails to release every block that it has.
  bool first_failed_release() { return !release_failed_.exchange(true, std::memory_order_relaxed); }
  /// Why it was rejected after it was opened; empty if it works.
  std::string rejection() const;
  DeviceReport report(Details details) const;

  /// Whether it was opened before a fork and isn't the host's: then it is the parent's alone.
  bool forked() const;

 private:
  void prepare_slowly(std::uint32_t primitive);
  void describe();
  void require_memory_functions() const;
  void find_extensions();

  tl_backend table_;
  std::string name_;
  std::uint32_t index_;
  bool trusted_;
  tl_device_info info_{};
  tl_device* handle_ = nullptr;
  std::optional<tl_index_table> index_table_;  // our own copies, as of the main table
  std::optional<tl_scan_table> scan_table_;
  std::optional<tl_random_table> random_table_;
  std::optional<tl_optim_table> optim_table_;
  std::mutex stream_;
  std::uint32_t generation_;  // of the process that opened it
  std::array<std::atomic<bool>, 16> ready_{};
  std::atomic<const std::string*> rejected_{nullptr};  // why it computes nothing any more
  std::atomic<bool> release_failed_{false};
  mutable std::map<std::string, std::uint64_t> fallbacks_;
  std::optional<tl_details_table> details_table_;
};

/// Raises what a failing call of the table means: Error for TL_E_ARGUMENT, DeviceError for the rest, with
/// the operation's name, the device's name and the plug-in's own words. Does nothing for TL_OK.
void check(std::int32_t status, const OpenDevice& device, std::string_view operation, ErrorText& error);

}  // namespace torchlight::loader
