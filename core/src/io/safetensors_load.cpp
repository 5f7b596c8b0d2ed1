#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <torchlight/io.h>

#include "io/safetensors_header.h"
#include "io/tensor_bytes.h"
#include "support/text.h"

namespace torchlight {
namespace {

using io::TensorEntry;

std::ifstream open(const std::string& path) {
  std::error_code error;  // opening a FIFO would wait for somebody to write into it
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (exists(status) && !is_regular_file(status))
    throw FileError(text("can't open ", path, ": it is a ",
                         is_directory(status) ? "directory" : "special file", ", not a regular file"));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(text("can't open ", path, ": ", std::strerror(errno ? errno : EIO)));
  return file;
}

std::uint64_t size_of(std::ifstream& file) {
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  file.seekg(0);
  if (!file || size < 0) throw Error("its size can't be told; it must be an ordinary file");
  return static_cast<std::uint64_t>(size);
}

void read(std::ifstream& file, char* bytes, std::uint64_t count) {
  if (!file.read(bytes, static_cast<std::streamsize>(count)))
    throw Error("the file is shorter than it was");
}

// The header, after checking its length against the file, so that no length is ever just believed.
std::string read_header(std::ifstream& file, std::uint64_t file_bytes) {
  if (file_bytes < io::length_bytes)
    throw Error(text("it has ", file_bytes, " bytes and can't be a .safetensors file"));
  unsigned char bytes[io::length_bytes];
  read(file, reinterpret_cast<char*>(bytes), sizeof bytes);
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | bytes[i];
  if (length > file_bytes - io::length_bytes || length > io::longest_header)
    throw Error(text("it announces a header of ", length, " bytes, with ",
                     file_bytes - io::length_bytes, " bytes in the file and ", io::longest_header,
                     " allowed"));
  std::string header(length, '\0');
  read(file, header.data(), length);
  return header;
}

Tensor read_tensor(std::ifstream& file, std::uint64_t data_begin, const TensorEntry& entry,
                   Device device) {
  const std::uint64_t bytes = entry.end - entry.begin;
  std::shared_ptr<char[]> memory(new char[std::max<std::uint64_t>(bytes, 1)]);
  file.seekg(static_cast<std::streamoff>(data_begin + entry.begin));
  read(file, memory.get(), bytes);
  return io::tensor_of(std::move(memory), entry.shape, entry.dtype, device);
}

}  // namespace

StateDict load(const std::string& path, std::optional<Device> device) {
  if (path.ends_with(".npz")) return load_npz(path, device);
  const Device target = device ? *device : Device();
  std::ifstream file = open(path);
  try {
    const std::uint64_t file_bytes = size_of(file);
    const std::string header = read_header(file, file_bytes);
    const std::uint64_t data_begin = io::length_bytes + header.size();
    StateDict tensors;
    for (const TensorEntry& entry : io::parse_header(header, file_bytes - data_begin))
      tensors.push_back({entry.name, read_tensor(file, data_begin, entry, target)});
    return tensors;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    throw FileError(path + ": " + error.what());
  }
}

}  // namespace torchlight
