#include "io/tensor_bytes.h"

#include <bit>

#include <torchlight/ops.h>

namespace torchlight::io {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");

std::vector<char> bytes_of(const Tensor& tensor) {
  std::vector<char> bytes(static_cast<std::size_t>(tensor.numel() * size_of(tensor.dtype())));
  if (bytes.empty()) return bytes;
  Tensor target = from_blob(bytes.data(), tensor.shape(), tensor.dtype(), {}, {}, {.device = "cpu"});
  target.copy_(tensor.detach());
  synchronize(target.device());
  return bytes;
}

Tensor tensor_of(std::shared_ptr<char[]> bytes, const Shape& shape, Dtype dtype, Device device,
                 const Strides& strides) {
  // Bools are read as bytes and compared with 0, since any other value than 0 and 1 would be no bool.
  const Dtype stored = dtype == boolean ? uint8 : dtype;
  char* first = bytes.get();
  const Tensor tensor =
      from_blob(first, shape, stored, strides, [bytes = std::move(bytes)] {}, {.device = "cpu"});
  return tensor.to(dtype).contiguous().to(device);
}

}  // namespace torchlight::io
