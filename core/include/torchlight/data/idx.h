#pragma once

#include <memory>
#include <string>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight::data {

/// A file in the IDX format, that of the MNIST images and labels, plain or gzipped: a header that says the
/// type and the extents, then the elements in row-major order, most significant byte first.
///
/// Bytes become uint8; signed bytes, 16-bit and 32-bit integers int32; floats and doubles float32 and float64.
/// FileError for another type, no or more than 8 dims, extents of more than 2^62 bytes, and a file that ends
/// early or goes on behind its last element. It must be a regular file.
class IdxReader {
 public:
  explicit IdxReader(const std::string& path, std::optional<Device> device = {});
  ~IdxReader();
  IdxReader(const IdxReader&) = delete;
  IdxReader& operator=(const IdxReader&) = delete;

  const Shape& shape() const;  ///< what the header says
  Dtype dtype() const;
  /// The next items along dim 0, at most this many: (n, …). An undefined tensor after the last.
  Tensor next(std::int64_t items);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole file as a tensor of IdxReader::shape(). Memory is taken as elements arrive, not as the header says.
Tensor read_idx(const std::string& path, std::optional<Device> device = {});

}  // namespace torchlight::data
#pragma GCC visibility pop
