// The reader of .npy files under libFuzzer: an array of the bytes that there are, or an Error.
#include <cstdlib>
#include <numeric>

#include <torchlight/error.h>

#include "io/npy.h"
#include "memory_file.h"

using namespace torchlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const io::InputFile file(test::memory_path(bytes, size));
    io::FileSource source(file);
    const io::NpyArray array = io::read_npy(source);
    const auto element = static_cast<std::uint64_t>(size_of(array.header.dtype));
    if (static_cast<std::uint64_t>(array.header.shape.numel()) * element != array.bytes ||
        array.bytes > size)
      std::abort();
  } catch (const Error&) {
  }
  return 0;
}
