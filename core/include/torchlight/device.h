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

/// Something that a plug-in tells of its device beside what there is to tell of every device.
struct DeviceDetail {
  std::string topic;     ///< "drop_ins": a-z, 0-9, _
  std::string text;      ///< for people: lines, printable, each with its end
  std::string json;      ///< the same for programs: one value of JSON; empty if the plug-in gives none
  bool complete = true;  ///< false: list_devices(Details::thorough) tells more
};

/// How closely to look: at once, running nothing, or so that it may take seconds (it compiles and tries what
/// would be compiled and tried at its first use).
enum class Details { quick, thorough };

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
  std::vector<DeviceDetail> details;   ///< what its plug-in tells beside that; "details" where it can't
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
std::vector<DeviceReport> list_devices(Details details = Details::quick);

/// Loads one plug-in file, before any that the environment names. Gives its name. DeviceError with the
/// reason if it can't be used.
std::string load_plugin(const std::string& path);

}  // namespace torchlight
#pragma GCC visibility pop
