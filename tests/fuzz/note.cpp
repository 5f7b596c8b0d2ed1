// The first gate under libFuzzer: any byte string gives an identity or a reason, and nothing worse.
#include <unistd.h>

#include <cstdint>

#include "loader/dependencies.h"
#include "loader/elf_file.h"
#include "loader/note.h"
#include "loader/rejection.h"
#include "memory_file.h"

using namespace torchlight::loader;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const File file(::dup(torchlight::test::memory_file(bytes, size)));
    const ElfFile elf(file);
    check_identity(read_note(elf), ~std::uint64_t{0});
    read_dependencies(elf);
  } catch (const Rejection&) {
  }
  return 0;
}
