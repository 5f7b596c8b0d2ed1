#include "io/npy_tensor.h"

#include <torchlight/error.h>
#include <torchlight/io.h>

#include "io/atomic_file.h"
#include "io/reading.h"
#include "io/tensor_bytes.h"
#include "support/text.h"

namespace torchlight {
namespace io {
namespace {

Strides column_major(const Shape& shape) {
  Strides strides = Shape::filled(shape.rank(), 1);
  for (int d = 1; d < shape.rank(); ++d) strides[d] = strides[d - 1] * shape[d - 1];
  return strides;
}

}  // namespace

Tensor tensor_of(NpyArray array, Device device) {
  const NpyHeader& header = array.header;
  const bool reorder = header.fortran_order && array.bytes > 0;
  return tensor_of(std::move(array.data), header.shape, header.dtype, device,
                   reorder ? column_major(header.shape) : Strides());
}

void write_npy(const Tensor& tensor, const ByteSink& sink) {
  sink(format_npy_header(tensor.dtype(), tensor.shape()));
  sink(bytes_of(tensor));
}

std::uint64_t npy_bytes(const Tensor& tensor) {
  return format_npy_header(tensor.dtype(), tensor.shape()).size() +
         static_cast<std::uint64_t>(tensor.numel() * size_of(tensor.dtype()));
}

}  // namespace io

void save_npy(const Tensor& tensor, const std::string& path) {
  try {
    io::npy_bytes(tensor);  // what can't be saved is found before the file is touched
  } catch (const Error& error) {
    throw Error(text("save_npy: ", error.what()));
  }
  io::AtomicFile file(path);
  io::write_npy(tensor, [&](std::span<const char> bytes) { file.write(bytes); });
  file.commit();
}

Tensor load_npy(const std::string& path, std::optional<Device> device) {
  const Device target = device ? *device : Device();
  const io::InputFile file(path);
  return io::reading(path, [&] {
    io::FileSource source(file);
    return io::tensor_of(io::read_npy(source), target);
  });
}

}  // namespace torchlight
