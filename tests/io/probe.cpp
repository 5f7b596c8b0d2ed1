// io_probe dump FILE: one line for each tensor of a file: name, dtype, shape, bytes in hexadecimal.
// io_probe convert FROM TO [compressed]: the same tensors in another file.
#include <cstring>
#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

namespace {

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

tl::StateDict load(const std::string& path) {
  if (is_npy(path)) return {{"array", tl::load_npy(path)}};
  return tl::load(path);
}

std::string hexadecimal(const tl::Tensor& x) {
  // A tensor of bytes over the same elements, since a dtype that computes nothing has no data<T>().
  const tl::Tensor dense = x.contiguous();
  std::vector<unsigned char> bytes(static_cast<std::size_t>(x.numel() * size_of(x.dtype())));
  if (bytes.empty()) return "";
  tl::from_blob(bytes.data(), x.shape(), x.dtype()).copy_(dense);
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

void dump(const std::string& path) {
  for (const auto& [name, tensor] : load(path))
    std::cout << name << '\t' << name_of(tensor.dtype()) << '\t' << tensor.shape().str() << '\t'
              << hexadecimal(tensor) << '\n';
}

void convert(const std::string& from, const std::string& to, bool compressed) {
  const tl::StateDict dict = load(from);
  if (is_npy(to))
    tl::save_npy(dict.at(0).tensor, to);
  else if (compressed)
    tl::save_npz(dict, to, {.compressed = true});
  else
    tl::save(dict, to);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 3 && !std::strcmp(arguments[1], "dump"))
      dump(arguments[2]);
    else if (count >= 4 && !std::strcmp(arguments[1], "convert"))
      convert(arguments[2], arguments[3], count > 4);
    else
      return 2;
  } catch (const tl::Error& error) {
    std::cout << "error: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
