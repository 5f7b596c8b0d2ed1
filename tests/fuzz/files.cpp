// Every reader of files by the public API, with the whole core instrumented: tensors, or an Error. The first
// byte chooses the reader.
#include <torchlight/torchlight.h>

#include "memory_file.h"

namespace tl = torchlight;

namespace {

void read(std::uint8_t reader, const std::string& path) {
  static tl::nn::Linear model(2, 1);
  static tl::Checkpoint checkpoint = [] {
    tl::Checkpoint state;
    state.add("model", model);
    return state;
  }();
  switch (reader % 7) {
    case 0: tl::load(path); return;
    case 1: tl::load_npy(path); return;
    case 2: tl::load_npz(path); return;
    case 3: checkpoint.load(path); return;
    case 4: tl::data::read_csv(path); return;
    case 6: tl::Tape::load(path); return;
    case 5:
      tl::data::read_csv(path, {.dtype = tl::int64, .skip_lines = 1, .allow_missing = true});
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(bytes[0], tl::test::memory_path(bytes + 1, size - 1));
  } catch (const tl::Error&) {
  }
  return 0;
}
