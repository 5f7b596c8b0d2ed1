#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <torchlight/tensor.h>

/// One array in the .npy format, in a file of its own or as an entry of an .npz file.
namespace torchlight::io {

/// Bytes one after the other, of which it is known how many there are.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t left() const = 0;
  virtual void read(void* to, std::size_t count) = 0;  ///< REQUIRES: count <= left()
};

/// All of the source as one array. Error saying what is wrong with it; nothing is allocated beyond what the
/// source has.
Tensor read_npy(ByteSource& source, Device device);

using ByteSink = std::function<void(std::span<const char>)>;
void write_npy(const Tensor& tensor, const ByteSink& sink);
/// How many bytes that writes. Error for a dtype that NumPy doesn't have.
std::uint64_t npy_bytes(const Tensor& tensor);

}  // namespace torchlight::io
