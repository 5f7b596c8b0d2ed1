// Plain reads of shared memory that atomics of others change.
#include <algorithm>

#include "check/checker.h"
#include "engine/ir.h"

namespace twin {

/// A plain read of what atomics of others change, with nothing that puts them in order: either the look that a loop
/// around an atomic begins with, or a barrier is missing. It is a look if the same thread's atomic follows, for one
/// thread that comes to that line at least: `if (x > most) atomicMax(&most, x)` mostly stops at the look.
void Checker::look_at_atomics(const Cell& cell, uint32_t bytes, uint32_t word, const One& one) {
  if (one.of.kind == access_atomic) {
    forgive_look(word, one);
    for (const Access* read : {&cell.read, &cell.other_read})
      if (!read->aware && is_apart(*read, bytes, one))
        suspect(one, "which is read by", *read, read->line);
  } else if (one.of.kind == access_read && !one.of.access.aware) {
    remember_look(word, one);
    if (cell.write.atomic && is_apart(cell.write, bytes, one))
      suspect(one, "which is changed by", cell.write, one.of.access.line);
  }
}

void Checker::remember_look(uint32_t word, const One& one) {
  std::array<Look, 4>& last = now_.looks[one.thread() - 1];
  std::move_backward(last.begin(), last.end() - 1, last.end());
  last[0] = {word, one.of.access.line, one.of.access.clock, static_cast<uint32_t>(now_.stamp)};
}

void Checker::forgive_look(uint32_t word, const One& one) {
  for (const Look& look : now_.looks[one.thread() - 1])
    if (look.stamp == static_cast<uint32_t>(now_.stamp) && look.word == word &&
        look.clock == one.of.access.clock &&
        std::find(looks_.begin(), looks_.end(), look.line) == looks_.end())
      looks_.push_back(look.line);
}

void Checker::suspect(const One& one, const char* what, const Access& before, uint32_t look) {
  for (const Doubt& doubt : now_.unordered)
    if (doubt.look == look) return;
  const uint64_t offset = one.address() - reinterpret_cast<uint64_t>(one.of.warp.shared);
  now_.unordered.push_back({&one.of.warp, one.lane, one.of.access.line,
                            cat("race: ", verb(one.of.kind), " shared memory, ", shared_name(offset),
                                ", ", race(what, before, "")),
                            look});
}

}  // namespace twin
