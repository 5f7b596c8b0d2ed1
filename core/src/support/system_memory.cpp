#include "support/system_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#include "support/size_class.h"

namespace torchlight::host_memory {
namespace {

// The system aligns to small pages only: map one huge page more and give back what sticks out.
void* map_aligned(std::size_t bytes) noexcept {
  void* mapped =
      mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<char*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, huge_page - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);  // only advice: a kernel without them says no
  return begin + before;
}

}  // namespace

void* take_from_system(std::size_t bytes) noexcept {
  return bytes < huge_page ? std::aligned_alloc(unit, bytes) : map_aligned(bytes);
}

void return_to_system(void* memory, std::size_t bytes) noexcept {
  if (bytes < huge_page)
    std::free(memory);
  else
    munmap(memory, bytes);
}

}  // namespace torchlight::host_memory
