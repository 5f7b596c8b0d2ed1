#include "runtime/memory.h"

#include <cstdlib>
#include <new>

#include "engine/ir.h"

namespace twin {
namespace {

constexpr uint64_t alignment = 256;
constexpr uint64_t gap = 512;  // on both sides: a small step beyond an end stays outside of everything

std::string hexadecimal(uint64_t value) {
  char digits[20];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
  return digits;
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
  char* whole = static_cast<char*>(
      std::aligned_alloc(alignment, (bytes + 2 * gap + alignment - 1) / alignment * alignment));
  if (!whole) return nullptr;
  const std::lock_guard guard(lock_);
  ++state_;
  char* const base = whole + gap;
  try {
    by_end_[reinterpret_cast<uint64_t>(base) + bytes] = {base, bytes, kind, count_ + 1, false, {}};
  } catch (const std::bad_alloc&) {
    std::free(whole);
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
    std::free(found->second.base - gap);
    by_end_.erase(found);
  }
  return true;
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
