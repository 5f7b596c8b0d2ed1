#pragma once

#include <cuda_runtime_api.h>

#include "stream.h"

/// An opened device: its number for the runtime, and the stream of those who name none.
struct tl_device {
  int ordinal;
  int multiprocessors;
  tl_stream default_stream;

  tl_stream& stream(tl_stream* given) noexcept { return given ? *given : default_stream; }
};

namespace cuda_backend {

int32_t device_count(uint32_t* count, tl_error* error) noexcept;
int32_t device_info(uint32_t index, tl_device_info* info, tl_error* error) noexcept;
int32_t open_device(uint32_t index, tl_device** device, tl_error* error) noexcept;
void close_device(tl_device* device) noexcept;

/// Makes a device the current one of this thread, and afterwards the one that it was.
class OnDevice {
 public:
  explicit OnDevice(int ordinal) noexcept {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = ordinal;
    if (before_ != ordinal) cudaSetDevice(ordinal);
    now_ = ordinal;
  }
  explicit OnDevice(const tl_device* device) noexcept : OnDevice(device->ordinal) {}
  ~OnDevice() {
    if (before_ != now_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0, now_ = 0;
};

}  // namespace cuda_backend
