#include <algorithm>
#include <memory>
#include <span>

#include <torchlight/io.h>
#include <torchlight/ops.h>

#include "io/input_file.h"
#include "io/reading.h"
#include "io/safetensors_header.h"
#include "support/text.h"

namespace torchlight {
namespace {

using io::TensorEntry;

// The header, after checking its length against the file, so that no length is ever just believed.
std::string read_header(const io::InputFile& file) {
  const std::uint64_t file_bytes = file.size();
  if (file_bytes < io::length_bytes)
    throw Error(text("it has ", file_bytes, " bytes and can't be a .safetensors file"));
  char bytes[io::length_bytes];
  file.read_all(0, bytes);
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  const std::string_view start(bytes, sizeof bytes);
  if (start.starts_with("\x93NUMPY")) throw Error("it is a NumPy .npy file; load_npy reads it");
  if (start.starts_with("PK\x03\x04"))
    throw Error("it is a zip file: NumPy's .npz is read by load_npz, PyTorch's .pt isn't");
  if (length > file_bytes - io::length_bytes || length > io::longest_header)
    throw Error(text("it is no .safetensors file, or a damaged one: it announces a header of ", length,
                     " bytes, with ", file_bytes - io::length_bytes, " bytes in the file and ",
                     io::longest_header, " allowed"));
  std::string header(length, '\0');
  file.read_all(io::length_bytes, header);
  return header;
}

// A byte that is neither 0 nor 1 is no bool of any program.
void check_bools(const TensorEntry& entry, std::span<const char> bytes) {
  const auto wrong =
      std::find_if(bytes.begin(), bytes.end(), [](char byte) { return byte != 0 && byte != 1; });
  if (wrong != bytes.end())
    throw Error(text("tensor ", in_quotes(entry.name), ": element ", wrong - bytes.begin(), " is ",
                     static_cast<int>(static_cast<unsigned char>(*wrong)), ", but a BOOL is 0 or 1"));
}

Tensor read_tensor(const io::InputFile& file, std::uint64_t data_begin, const TensorEntry& entry,
                   Device device) {
  const std::uint64_t bytes = entry.end - entry.begin;
  std::shared_ptr<char[]> memory(new char[std::max<std::uint64_t>(bytes, 1)]);
  file.read_all(data_begin + entry.begin, {memory.get(), bytes});
  if (entry.dtype == boolean) check_bools(entry, {memory.get(), bytes});
  return from_blob(memory.get(), entry.shape, entry.dtype, {}, [memory] {}, {.device = "cpu"})
      .to(device);
}

}  // namespace

StateDict load(const std::string& path, std::optional<Device> device) {
  if (path.ends_with(".npz")) return load_npz(path, device);
  const Device target = device ? *device : Device();
  const io::InputFile file(path);
  return io::reading(path, [&] {
    const std::string header = read_header(file);
    const std::uint64_t data_begin = io::length_bytes + header.size();
    StateDict tensors;
    for (const TensorEntry& entry : io::parse_header(header, file.size() - data_begin))
      tensors.push_back({entry.name, read_tensor(file, data_begin, entry, target)});
    return tensors;
  });
}

}  // namespace torchlight
