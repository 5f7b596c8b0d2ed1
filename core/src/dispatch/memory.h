#pragma once

#include <cstddef>

#include "loader/open_device.h"

/// Memory of a device and bytes between devices and the host.
namespace torchlight::dispatch {

using loader::OpenDevice;

/// Host devices get the core's own memory, others their plug-in's. Error naming the size when there is none.
tl_memory allocate(OpenDevice& device, std::size_t bytes);
/// In the order of the device's default stream. Never throws: a failing release is logged.
void release(OpenDevice& device, const tl_memory& memory, std::size_t bytes) noexcept;

/// Bytes from the host's memory to the device's and back. Both wait until the bytes have arrived.
void copy_in(OpenDevice& device, const tl_memory& destination, const void* source, std::size_t bytes);
void copy_out(OpenDevice& device, void* destination, const tl_memory& source, std::size_t bytes);

/// Waits for all work of the device; raises its late errors.
void synchronize(OpenDevice& device);

/// Memory that is released at the end of a scope.
class Scratch {
 public:
  Scratch(OpenDevice& device, std::size_t bytes)
      : device_(device), bytes_(bytes), memory_(allocate(device, bytes)) {}
  ~Scratch() { release(device_, memory_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const tl_memory& memory() const { return memory_; }

 private:
  OpenDevice& device_;
  std::size_t bytes_;
  tl_memory memory_;
};

}  // namespace torchlight::dispatch
