// The reader of .npz files under libFuzzer: arrays no larger than deflate can give, or an Error.
#include <cstdlib>

#include <torchlight/error.h>

#include "io/zip_reader.h"
#include "memory_file.h"

using namespace torchlight;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const io::InputFile file(test::memory_path(bytes, size));
    io::ZipReader zip(file);
    std::uint64_t expanded = 0;
    for (std::uint64_t i = 0; i < zip.count(); ++i) {
      zip.start();
      expanded += zip.content().left();
      if (expanded > size * 1033) std::abort();
      io::read_npy(zip.content());
      zip.finish();
    }
  } catch (const Error&) {
  }
  return 0;
}
