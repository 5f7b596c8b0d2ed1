#include "io/tensor_bytes.h"

#include <algorithm>
#include <bit>

#include <torchlight/ops.h>

#include "support/text.h"

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
  const char* first = bytes.get();
  const char* end = first + shape.numel() * size_of(dtype);
  const char* wrong = dtype != boolean
                          ? end
                          : std::find_if(first, end, [](char byte) { return byte != 0 && byte != 1; });
  if (wrong != end)
    throw Error(text("element ", wrong - first, " is ",
                     static_cast<int>(static_cast<unsigned char>(*wrong)), ", but a bool is 0 or 1"));
  char* data = bytes.get();
  const Tensor tensor =
      from_blob(data, shape, dtype, strides, [bytes = std::move(bytes)] {}, {.device = "cpu"});
  return tensor.contiguous().to(device);
}

}  // namespace torchlight::io
