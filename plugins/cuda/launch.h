#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "device.h"
#include "kernel_source.h"

/// From a primitive's plan to a kernel in a stream.
namespace cuda_backend {

/// What find_kernel is asked for.
struct KernelName {
  const char* file;
  char selection[120];
  char name[64];
};

/// "f32", "i64" … as kernels are named.
const char* type_name(tl_dtype dtype) noexcept;
constexpr int types = 8;
/// 0 … types - 1
int type_index(tl_dtype dtype) noexcept;

/// A kernel that was found once. A static array of them is a primitive's memory.
class Kernel {
 public:
  /// The handle; `describe(KernelName&)` is called at first use. NULL with the reason in `error`.
  template <class Describe> const void* get(const Describe& describe, tl_error* error) noexcept {
    const void* known = handle_.load(std::memory_order_acquire);
    if (known) return known;
    KernelName name{};
    describe(name);
    if (find_kernel(name.file, name.selection, name.name, &known, error) != cudaSuccess) return nullptr;
    handle_.store(known, std::memory_order_release);
    return known;
  }

 private:
  std::atomic<const void*> handle_{nullptr};
};

/// A launch: blocks along x, which kernels walk with a step of all of them, groups along y, and a block's threads.
struct Shape {
  int64_t blocks;
  int64_t groups = 1;
  unsigned width = 256, height = 1;
};

/// Blocks of 256 threads that take `each` of `count` elements per thread, as many as the device can use.
Shape shape_of(const tl_device& device, int64_t count, int64_t each = 1) noexcept;

/// One call of a primitive on its stream.
class Call {
 public:
  Call(tl_device* device, tl_stream* given, const char* operation, tl_error* error) noexcept
      : device_(*device),
        stream_(device->stream(given)),
        here_(device),
        operation_(operation),
        error_(error) {}

  tl_device& device() const noexcept { return device_; }
  tl_stream& stream() const noexcept { return stream_; }
  tl_error* error() const noexcept { return error_; }

  /// Enqueues a kernel with its one struct of arguments.
  template <class Describe, class Arguments>
  int32_t launch(Kernel& kernel, const Describe& describe, const Shape& shape,
                 Arguments arguments) noexcept {
    if (shape.blocks == 0) return TL_OK;
    const void* const handle = kernel.get(describe, error_);
    if (!handle) return TL_E_INTERNAL;
    return enqueue(handle, shape, &arguments);
  }

 private:
  int32_t enqueue(const void* kernel, const Shape& shape, void* arguments) noexcept;

  tl_device& device_;
  tl_stream& stream_;
  const OnDevice here_;
  const char* const operation_;
  tl_error* const error_;
};

}  // namespace cuda_backend
