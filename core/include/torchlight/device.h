#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torchlight::loader {
class OpenDevice;
}

#pragma GCC visibility push(default)
namespace torchlight {

/// Hardware that a plug-in offers. A cheap value: it names an opened device that lives as long as the
/// process. Making one from a name opens it: "cpu" (the shipped cpu_simd), "cuda", "cuda:1", "cpu_twin",
/// or the name of a plug-in of your own; exact and case-sensitive. A list such as "cuda,cpu" means the
/// first that opens; a warning says why those before it don't. DeviceError if there is none, with
/// everything that is known and the reason for each candidate that was rejected.
class Device {
 public:
  Device(std::string_view name);
  Device(const char* name) : Device(std::string_view(name)) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}
  /// The default device: set_default_device(), else TORCHLIGHT_DEVICE (looked up at every call), else cpu.
  Device();
  explicit Device(loader::OpenDevice& device) : device_(&device) {}

  /// "cpu", "cuda:1"; index 0 is not shown.
  const std::string& name() const;
  int index() const;
  /// Whether tensors on it lie in host memory that C++ code can read.
  bool is_host() const;
  loader::OpenDevice& handle() const { return *device_; }

  friend bool operator==(Device a, Device b) { return a.device_ == b.device_; }

 private:
  loader::OpenDevice* device_;
};

/// The default device of every factory from now on, for the whole process; overrides TORCHLIGHT_DEVICE.
void set_default_device(Device device);

/// Waits until all work on the device is done. Late errors of asynchronous devices are raised here, too.
void synchronize(Device device);

/// What `torchlight devices` prints of one device.
struct DeviceReport {
  std::string name;             ///< as for Device
  std::string description;      ///< for people
  std::string instruction_set;  ///< "avx512", "sm_90"; empty if the plug-in doesn't say
  std::string memory_space;     ///< "host", "pinned", "device", "managed"
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> primitives;  ///< those it offers itself; the rest is composed
  std::vector<std::string> extensions;
  std::vector<std::string> fallbacks;  ///< operations that had to be done elsewhere, with counts
};

/// One file that discovery met.
struct Candidate {
  enum class State { found, loaded, rejected, duplicate, ignored };
  std::string path;
  std::string name;  ///< from its note; empty if it has none
  std::string version;
  State state = State::found;
  std::string
      reason;  ///< why it was rejected, ignored or a duplicate, or why a loaded one lacks a device
};

/// Every file discovery met, in order. Opens nothing.
std::vector<Candidate> list_candidates();

/// Every device that works, in order. Loads all candidates.
std::vector<DeviceReport> list_devices();

/// Loads one plug-in file, before any that the environment names. Gives its name. DeviceError with the
/// reason if it can't be used.
std::string load_plugin(const std::string& path);

}  // namespace torchlight
#pragma GCC visibility pop
