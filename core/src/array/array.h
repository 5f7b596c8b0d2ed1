#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <torchlight/dtype.h>
#include <torchlight/error.h>
#include <torchlight/shape.h>

#include "array/storage.h"

namespace torchlight {

/// An n-dimensional value without history: a strided window into a storage. A cheap value; copies and
/// views share the storage. Its operations are in operations.h.
class Array {
 public:
  Array() = default;
  Array(Ref<Storage> storage, OpenDevice& device, const Shape& shape, const Strides& strides,
        std::int64_t offset, Dtype dtype)
      : storage_(std::move(storage)),
        device_(&device),
        offset_(offset),
        shape_(shape),
        strides_(strides),
        dtype_(dtype) {}

  bool defined() const { return device_ != nullptr; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  std::int64_t offset() const { return offset_; }  ///< in elements
  int rank() const { return shape_.rank(); }
  std::int64_t numel() const {
    std::int64_t n = 1;  // checked for overflow when the shape was made
    for (std::int64_t extent : shape_) n *= extent;
    return n;
  }
  Dtype dtype() const { return dtype_; }
  OpenDevice& device() const { return *device_; }
  bool is_contiguous() const;
  /// Whether some element is reachable by two indices.
  bool is_expanded() const;

  Storage& storage() const { return *storage_; }
  bool has_storage() const { return static_cast<bool>(storage_); }
  bool shares_storage(const Array& other) const { return storage_ == other.storage_; }
  /// Another window into the same storage.
  Array window(const Shape& shape, const Strides& strides, std::int64_t offset) const {
    return Array(storage_, *device_, shape, strides, offset, dtype_);
  }
  /// Shape, dtype and device without the values, for those who need no more.
  Array without_values() const {
    Array meta = *this;
    meta.storage_ = nullptr;
    return meta;
  }
  /// The same memory seen by another host device.
  Array on(OpenDevice& device) const {
    Array moved = *this;
    moved.device_ = &device;
    return moved;
  }

  /// The first element in host memory.
  void* host_data() const {
    return static_cast<char*>(storage_->memory().base) + storage_->memory().byte_offset +
           offset_ * size_of(dtype_);
  }
  /// The ABI's descriptor; `as` gives it other extents and strides of the same rank or more.
  tl_view view() const { return view(shape_, strides_); }
  tl_view view(const Shape& shape, const Strides& strides) const;

 private:
  Ref<Storage> storage_;
  OpenDevice* device_ = nullptr;
  std::int64_t offset_ = 0;
  Shape shape_;
  Strides strides_;
  Dtype dtype_ = float32;
};

/// The bytes that an array's elements lie in, [begin, end), in a piece of memory that `block` names; the host's
/// has none. Two storages may look at the same memory (from_blob).
struct MemoryRange {
  const void* block = nullptr;
  std::uintptr_t begin = 0, end = 0;  ///< equal where there are no elements
};
MemoryRange memory_range(const Array& x);
inline bool overlap(const MemoryRange& a, const MemoryRange& b) {
  return a.block == b.block && a.begin < b.end && b.begin < a.end;
}

/// As DLPack codes it.
tl_dtype abi_dtype(Dtype dtype);
/// Row-major strides.
Strides contiguous_strides(const Shape& shape);
/// 0 … rank-1 from -rank … rank-1; Error naming the operation, the dim and the rank.
int normalize_dim(const char* operation, std::int64_t dim, int rank);
/// The same for several, each at most once; none means all. Bit k is dim k.
std::uint32_t dims_mask(const char* operation, const Dims& dims, int rank);
/// `shape` with the dims of the mask removed, or kept as 1.
Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keepdim);
/// Strides with which an array of this shape reads as `shape`: 0 along stretched dims.
Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& shape);
/// The dtype in which a number beside an array of `dtype` takes part: 2 beside int64 is an int64; 0.5, NaN and
/// what int64 can't hold are float32, and beside bool any number but 0 and 1 is more than a bool.
Dtype scalar_dtype(Dtype dtype, double scalar);
/// Error naming the value where an integer dtype can't hold it, its fraction left out.
void require_in_range(const char* operation, double value, Dtype dtype);
/// The same, and that an integer dtype doesn't lose a fraction or a floating-point dtype make infinity of it.
void require_value_of(const char* operation, double value, Dtype dtype);
/// Error in the operation's name for a negative extent.
void require_extents(const char* operation, const Shape& shape);
/// Error naming both where two arrays are on different devices.
void require_same_device(const char* operation, const Array& a, const Array& b);
/// A gradient that the user gives is of the shape, dtype and device of what it is the gradient of.
void require_gradient_of(const char* operation, const Array& of, const Array& gradient);

}  // namespace torchlight
