#include "runtime/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "engine/ir.h"

namespace twin {
namespace {

constexpr uint64_t alignment = 256;
constexpr uint64_t gap = 512;  // on both sides: a small step beyond an end stays outside of everything

constexpr uint64_t page = 4096;

/// Pages of its own, so that nothing else is hidden with them.
uint64_t whole_pages(uint64_t bytes) { return (bytes + 2 * gap + page - 1) / page * page; }
char* take_pages(uint64_t bytes) {
  void* const whole =
      ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return whole == MAP_FAILED ? nullptr : static_cast<char*>(whole);
}
char* take(uint64_t bytes) {
  return static_cast<char*>(
      std::aligned_alloc(alignment, (bytes + 2 * gap + alignment - 1) / alignment * alignment));
}

std::string hexadecimal(uint64_t value) {
  char digits[20];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
  return digits;
}

void give(char* whole, uint64_t bytes, bool hides) {
  if (hides)
    ::munmap(whole, whole_pages(bytes));
  else
    std::free(whole);
}

std::string named(const Allocation& a) {
  if (a.kind == MemoryKind::variable) return "the variable " + a.name;
  return cat("allocation ", a.number, " of ", a.bytes, " bytes", a.freed ? ", which was freed" : "");
}

}  // namespace

Memory& Memory::of_process() {
  static Memory* memory = new Memory;  // outlives whatever still frees at exit
  return *memory;
}

void* Memory::allocate(uint64_t bytes, MemoryKind kind) {
  if (bytes > (uint64_t{1} << 46)) return nullptr;
  const bool hides = hidden_ && kind == MemoryKind::device;
  char* const whole = hides ? take_pages(bytes) : take(bytes);
  if (!whole) return nullptr;
  const std::lock_guard guard(lock_);
  ++state_;
  char* const base = whole + gap;
  try {
    const Allocation made{base, bytes, kind, count_ + 1, false, {}};
    by_end_[reinterpret_cast<uint64_t>(base) + bytes] = made;
    if (hides) protect(made);
  } catch (const std::bad_alloc&) {
    give(whole, bytes, hides);
    return nullptr;
  }
  ++count_;
  used_ += bytes;
  return base;
}

bool Memory::release(void* pointer) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const std::lock_guard guard(lock_);
  ++state_;
  // Of an empty allocation the end is the beginning.
  auto found = by_end_.lower_bound(address);
  while (found != by_end_.end() && found->second.base != pointer && found->first <= address) ++found;
  if (found == by_end_.end() || found->second.base != pointer || found->second.freed ||
      found->second.kind == MemoryKind::variable)
    return false;
  used_ -= found->second.bytes;
  if (careful_) {
    found->second.freed = true;
  } else {
    give(found->second.base - gap, found->second.bytes,
         hidden_ && found->second.kind == MemoryKind::device);
    by_end_.erase(found);
  }
  return true;
}

void Memory::protect(const Allocation& allocation) const {
  ::mprotect(allocation.base - gap, whole_pages(allocation.bytes),
             shown_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void Memory::show(int more) {
  if (!hidden_) return;
  const std::lock_guard guard(lock_);
  const bool were_shown = shown_ > 0;
  shown_ += more;
  if (were_shown == (shown_ > 0)) return;
  for (const auto& [end, allocation] : by_end_)
    if (allocation.kind == MemoryKind::device) protect(allocation);
}

void Memory::add_variable(void* pointer, uint64_t bytes, const std::string& name) {
  const std::lock_guard guard(lock_);
  ++state_;
  by_end_[reinterpret_cast<uint64_t>(pointer) + bytes] = {
      static_cast<char*>(pointer), bytes, MemoryKind::variable, 0, false, name};
}

void Memory::remove_variable(void* pointer) {
  const std::lock_guard guard(lock_);
  ++state_;
  for (auto at = by_end_.begin(); at != by_end_.end(); ++at)
    if (at->second.base == pointer && at->second.kind == MemoryKind::variable)
      return (void)by_end_.erase(at);
}

const Allocation* Memory::find(uint64_t address) const {
  const std::lock_guard guard(lock_);
  const auto found = by_end_.upper_bound(address);
  if (found == by_end_.end() || reinterpret_cast<uint64_t>(found->second.base) > address)
    return nullptr;
  return &found->second;
}

std::string Memory::describe(uint64_t address) const {
  if (const Allocation* inside = find(address))
    return cat("offset ", address - reinterpret_cast<uint64_t>(inside->base), " of ", named(*inside));
  const std::lock_guard guard(lock_);
  const auto next = by_end_.upper_bound(address);
  constexpr uint64_t near = 1 << 20;
  std::string before, behind;
  if (next != by_end_.begin()) {
    const auto& [end, last] = *std::prev(next);
    if (address - end < near) before = cat(address - end, " bytes behind the end of ", named(last));
  }
  if (next != by_end_.end()) {
    const auto base = reinterpret_cast<uint64_t>(next->second.base);
    if (base - address < near) behind = cat(base - address, " bytes before ", named(next->second));
    if (!before.empty() && !behind.empty() && base - address < address - std::prev(next)->first)
      before.clear();
  }
  if (!before.empty()) return before;
  if (!behind.empty()) return behind;
  if (address < 4096)
    return address == 0 ? "a null pointer" : cat("a null pointer and ", address, " bytes");
  return cat(hexadecimal(address), ", which is no device memory: a pointer of the host?");
}

std::vector<Allocation> Memory::living() const {
  const std::lock_guard guard(lock_);
  std::vector<Allocation> all;
  for (const auto& [end, allocation] : by_end_)
    if (!allocation.freed && allocation.kind != MemoryKind::variable) all.push_back(allocation);
  return all;
}

uint64_t Memory::bytes_used() const {
  const std::lock_guard guard(lock_);
  return used_;
}

}  // namespace twin
