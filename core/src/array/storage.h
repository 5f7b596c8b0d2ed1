#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "loader/open_device.h"
#include "support/ref.h"

namespace torchlight {

using loader::OpenDevice;

/// A piece of a device's memory, shared by all arrays that look into it, with a counter of the changes
/// made to it in place. Released when the last array goes, in stream order.
class Storage final : public RefCounted {
 public:
  static Ref<Storage> allocate(OpenDevice& device, std::size_t bytes);
  /// Memory of somebody else on a host device; `release` is called when nothing uses it any more.
  static Ref<Storage> borrow(OpenDevice& device, void* data, std::size_t bytes,
                             std::function<void()> release);
  ~Storage();

  OpenDevice& device() const { return device_; }
  const tl_memory& memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t version() const { return version_; }
  void changed() { ++version_; }

 private:
  Storage(OpenDevice& device, std::size_t bytes) : device_(device), bytes_(bytes) {}

  OpenDevice& device_;  // whose memory it is; host memory may be looked at by any host device
  tl_memory memory_{};
  std::size_t bytes_;
  std::uint64_t version_ = 0;
  std::unique_ptr<std::function<void()>> borrowed_;
};

}  // namespace torchlight
