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
  /// The same without errors: 0 and null. The reason stays with the candidate.
  std::uint32_t try_to_count();
  OpenDevice* try_to_open(std::uint32_t index);

 private:
  void shake_hands_once(Library library);
  void refuse(const std::string& reason);
  void repeat_refusal() const;
  OpenDevice* find_open(std::uint32_t index) const;
  OpenDevice& open_now(std::uint32_t index);
  std::string rejected_device() const;
  std::string trouble() const;

  Found found_;
  std::string name_;
  std::atomic<bool> loaded_{false};
  std::string refusal_;                                           // under state_mutex
  std::optional<Library> library_;                                // set once, before loaded_
  Backend backend_{};                                             // likewise
  std::map<std::uint32_t, std::unique_ptr<OpenDevice>> devices_;  // under state_mutex
  std::map<std::uint32_t, std::string> closed_;  // why a device couldn't be opened; under state_mutex
  Turn turn_;
};

}  // namespace torchlight::loader
