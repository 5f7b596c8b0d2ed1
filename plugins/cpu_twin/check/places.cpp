// The memory that an address is in: a variable in shared memory, an allocation, or memory of the thread's own.
#include <bit>

#include "check/checker.h"
#include "engine/ir.h"
#include "runtime/module.h"

namespace twin {
namespace {

/// "sums" of "reduce(float*)::sums", as PTX has it.
std::string bare_name(const std::string& symbol) {
  const std::string name = readable(symbol.substr(0, symbol.find('#')));
  const size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

}  // namespace

bool Checker::access(Warp& warp, const uint64_t* addresses, Mask mask, uint32_t what, uint32_t line,
                     const void* values) {
  const uint32_t w = warp.index, kind = what & access_kinds;
  const bool aware = (what & access_aware) != 0;
  Access access;
  access.block = block_;
  access.line = line;
  access.clock = now_.clock[w][w];
  access.turn = now_.turn[w];
  access.thread = (w * lanes + 1) & 0x7FF;
  access.atomic = kind == access_atomic;
  access.aware = aware;
  access.fence = std::min(now_.fence, 32767U) & 0x7FFF;
  const uint64_t moment = now_.moment[w] << 20 | (line & 0xFFFFF);
  const Request request{
      warp,   addresses,     what >> 8, kind,         what >> 4 & 15, static_cast<const char*>(values),
      access, now_.clock[w], moment,    now_.phase[w]};
  for (Mask left = mask; left;) {
    const Place* place = place_of({request, static_cast<uint32_t>(std::countr_zero(left))});
    if (!place || !touch(*place, request, left)) return false;
  }
  return true;
}

const Checker::Place* Checker::place_of(const One& one) {
  const uint64_t address = one.address(),
                 offset = address - reinterpret_cast<uint64_t>(one.of.warp.shared);
  const bool in_shared = offset < runner_->shared_bytes();
  if (address & (one.of.bytes - 1)) {
    fail(one, Trouble::Kind::alignment,
         cat(verb(one.of.kind), " ", one.of.bytes, " bytes at an address that isn't a multiple of ",
             one.of.bytes, ": ",
             in_shared ? cat("shared memory, ", shared_name(offset))
                       : Memory::of_process().describe(address)));
    return nullptr;
  }
  if (const Place* known = known_place(one)) return known;
  if (in_shared || one.of.space == static_cast<uint32_t>(ptx::Space::shared))
    return shared_place(one, offset);
  if (runner_->is_private(address)) {
    own_ = {Place::Kind::own, address, one.of.bytes, nullptr, {}, 0};
    return &own_;
  }
  return global_place(one);
}

/// Most accesses are to what was accessed just before.
const Checker::Place* Checker::known_place(const One& one) const {
  const uint64_t state = Memory::of_process().state();
  const bool of_shared = one.of.space == static_cast<uint32_t>(ptx::Space::shared);
  for (const Place& place : places_) {
    const uint64_t offset = one.address() - place.base;
    if (offset < place.bytes && offset + one.of.bytes <= place.bytes && place.state == state &&
        (!of_shared || place.kind == Place::Kind::shared))
      return &place;
  }
  return nullptr;
}

const Checker::Place* Checker::keep(Place place) {
  place.state = Memory::of_process().state();
  oldest_place_ = (oldest_place_ + 1) % places_.size();
  return &(places_[oldest_place_] = std::move(place));
}

std::string Checker::shared_name(uint64_t offset) const {
  const auto at = static_cast<int64_t>(offset);
  if (at < 0 && !shared_names_.empty())
    return cat(-at, " bytes before ", bare_name(shared_names_.front().first));
  const std::pair<std::string, std::pair<int64_t, int64_t>>* best = nullptr;
  for (const auto& entry : shared_names_)
    if (entry.second.first <= at) best = &entry;
  if (!best) return cat("offset ", at);
  const std::string name = bare_name(best->first);
  const auto [begin, bytes] = best->second;
  if (bytes == 0) return cat(name, " at byte ", at - begin);
  return cat(name, " (", bytes, " bytes) at byte ", at - begin);
}

const Checker::Place* Checker::shared_place(const One& one, uint64_t offset) {
  const uint64_t bytes = one.of.bytes, all = runner_->shared_bytes(),
                 base = reinterpret_cast<uint64_t>(one.of.warp.shared);
  const auto dynamic = static_cast<uint64_t>(shared_.bytes);
  // Not by the end alone: what lies before shared memory has a huge offset, and its end may be small.
  if (offset + bytes <= all && static_cast<int64_t>(offset) >= 0) {
    for (const auto& [name, range] : shared_names_) {
      const auto begin = static_cast<uint64_t>(range.first), size = static_cast<uint64_t>(range.second);
      if (offset >= begin && offset + bytes <= begin + size)
        return keep({Place::Kind::shared, base + begin, size, nullptr, {}, 0});
    }
    if (offset >= dynamic)
      return keep({Place::Kind::shared, base + dynamic, all - dynamic, nullptr, {}, 0});
  }
  const auto at = static_cast<int64_t>(offset);
  const bool far = at < -(1 << 20) || at > static_cast<int64_t>(all) + (1 << 20);
  const bool of_launch = at >= shared_.bytes;
  fail(one, Trouble::Kind::address,
       cat(verb(one.of.kind), " ", bytes,
           " bytes outside of shared memory: ", far ? "far from it" : shared_name(offset),
           of_launch ? cat(", and the launch gives ", runner_->grid().dynamic_shared, " bytes") : ""));
  return nullptr;
}

Shadow& Checker::shadow_of(const Allocation& allocation) {
  // What the host registers may be registered again in another size.
  std::unique_ptr<Shadow>& known = shadows_[reinterpret_cast<uint64_t>(allocation.base)];
  if (!known || known->bytes() != allocation.bytes) known = std::make_unique<Shadow>(allocation.bytes);
  return *known;
}

const Checker::Place* Checker::global_place(const One& one) {
  const uint64_t address = one.address(), bytes = one.of.bytes;
  const Memory& memory = Memory::of_process();
  const Allocation* allocation = memory.find(address);
  const uint64_t base = allocation ? reinterpret_cast<uint64_t>(allocation->base) : 0,
                 end = allocation ? base + allocation->bytes : 0;
  const bool whole = allocation && address + bytes <= end;
  if (whole && !allocation->freed)
    return keep(
        {Place::Kind::global, base, allocation->bytes, &shadow_of(*allocation), allocation->name, 0});
  fail(one, Trouble::Kind::address,
       cat(verb(one.of.kind), " ", bytes, " bytes ",
           allocation && allocation->freed ? "of freed memory: " : "out of bounds: ",
           memory.describe(allocation && !whole ? end : address)));
  return nullptr;
}

void Checker::fail(const One& one, Trouble::Kind kind, const std::string& text) {
  runner_->report(one.of.warp, one.lane, kind, text, one.of.access.line);
}

}  // namespace twin
