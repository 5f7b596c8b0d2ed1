#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "loader/discovery.h"
#include "loader/handshake.h"
#include "loader/open_device.h"
#include "loader/turn.h"

namespace torchlight::loader {

/// A plug-in that passed the first gate. Loaded when first asked for, by whichever thread comes first;
/// neither the file nor its devices are ever closed. Safe from any thread.
class Plugin {
 public:
  explicit Plugin(Found found);

  /// The name that devices are asked for by: the note's, but `cpu` for cpu_simd.
  const std::string& name() const { return name_; }
  bool answers_to(const std::string& name) const {
    return name == name_ || name == found_.identity.name;
  }
  const Found& found() const { return found_; }
  /// With its present state.
  Candidate candidate() const;
  bool is_loaded() const { return loaded_.load(std::memory_order_acquire); }

  /// Loads the file unless that was done. DeviceError if it can't be used; asking again repeats the error,
  /// unless retry() came before.
  void load();
  void retry();
  std::uint32_t device_count();
  OpenDevice& open(std::uint32_t index);
  /// The text of the first of its devices that was rejected after it was opened, or empty.
  std::string rejected_device() const;

 private:
  void shake_hands_once(Library library);
  void refuse(const std::string& reason);
  void repeat_refusal() const;
  OpenDevice* find_open(std::uint32_t index) const;

  Found found_;
  std::string name_;
  std::atomic<bool> loaded_{false};
  std::string refusal_;                                           // under state_mutex
  std::optional<Library> library_;                                // set once, before loaded_
  Backend backend_{};                                             // likewise
  std::map<std::uint32_t, std::unique_ptr<OpenDevice>> devices_;  // under state_mutex
  Turn turn_;
};

}  // namespace torchlight::loader
