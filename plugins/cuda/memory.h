#pragma once

#include <initializer_list>

#include <torchlight/plugin.h>

/// A piece of device memory.
struct tl_block {
  tl_device* device;
  char* address;
  uint64_t bytes;
};

namespace cuda_backend {

int32_t allocate(tl_device* device, tl_stream* stream, uint64_t bytes, tl_memory* memory,
                 tl_error* error) noexcept;
int32_t release(tl_device* device, tl_stream* stream, const tl_memory* memory,
                tl_error* error) noexcept;
int32_t copy(tl_device* device, tl_stream* stream, const tl_copy_args* args, tl_error* error) noexcept;

/// The address of a view's first element; what it is worth for a view without elements, nobody asks.
inline char* address_of(const tl_view& view) noexcept {
  return static_cast<char*>(view.base) + view.byte_offset;
}

inline bool is_empty(const tl_view& view) noexcept {
  for (uint32_t d = 0; d < view.rank; ++d)
    if (view.extent[d] == 0) return true;
  return false;
}

/// Does each view that has elements (and isn't NULL) lie within its block, and that on this device? A kernel that
/// ran beyond would take the whole device with it.
int32_t check_memory(const tl_device* device, std::initializer_list<const tl_view*> views,
                     tl_error* error) noexcept;

}  // namespace cuda_backend
