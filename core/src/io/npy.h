#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/input_file.h"
#include "io/npy_header.h"

/// One array in the .npy format, in a file of its own or as an entry of an .npz file.
namespace torchlight::io {

/// Bytes one after the other, of which it is known how many there are.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t left() const = 0;
  virtual void read(void* to, std::size_t count) = 0;  ///< REQUIRES: count <= left()
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const InputFile& file) : file_(file) {}
  std::uint64_t left() const override { return file_.size() - at_; }
  void read(void* to, std::size_t count) override {
    file_.read_all(at_, {static_cast<char*>(to), count});
    at_ += count;
  }

 private:
  const InputFile& file_;
  std::uint64_t at_ = 0;
};

/// The elements lie as the header says, but in this machine's byte order.
struct NpyArray {
  NpyHeader header;
  std::uint64_t bytes = 0;
  std::shared_ptr<char[]> data;
};

/// All of the source as one array. Error saying what is wrong with it; nothing is allocated beyond what the
/// source has.
NpyArray read_npy(ByteSource& source);

}  // namespace torchlight::io
