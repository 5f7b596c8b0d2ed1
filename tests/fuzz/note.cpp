// The first gate under libFuzzer: any byte string gives an identity or a reason, and nothing worse.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "loader/dependencies.h"
#include "loader/elf_file.h"
#include "loader/note.h"
#include "loader/rejection.h"

using namespace torchlight::loader;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const int memory = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (::ftruncate(memory, 0) != 0 || ::pwrite(memory, bytes, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  try {
    const File file(::dup(memory));
    const ElfFile elf(file);
    check_identity(read_note(elf), ~std::uint64_t{0});
    read_dependencies(elf);
  } catch (const Rejection&) {
  }
  return 0;
}
