// The header of .safetensors files under libFuzzer: tensors that cover the data, each in its place, or an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <torchlight/error.h>

#include "io/safetensors_header.h"

using namespace torchlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < io::length_bytes) return 0;
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | bytes[i];
  const std::uint64_t left = size - io::length_bytes;
  if (length > left) return 0;
  const std::string_view header(reinterpret_cast<const char*>(bytes) + io::length_bytes, length);
  try {
    std::uint64_t covered = 0;
    for (const io::TensorEntry& entry : io::parse_header(header, left - length)) {
      const auto wanted = static_cast<std::uint64_t>(entry.shape.numel() * size_of(entry.dtype));
      if (entry.begin > entry.end || entry.end > left - length || entry.end - entry.begin != wanted)
        std::abort();
      covered += wanted;
    }
    if (covered != left - length) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
