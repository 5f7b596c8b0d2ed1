// What is said of accesses that nothing puts in order, and of reads before any write.
#include <cstring>

#include "check/checker.h"
#include "engine/ir.h"
#include "runtime/module.h"

namespace twin {
const char* verb(uint32_t kind) {
  return kind == access_read ? "reads" : kind == access_write ? "writes" : "changes";
}

/// Writing what is there already harms nobody, and lanes that write one place at once were meant to.
bool Checker::is_excused(const Access& before, const One& one) const {
  const Request& of = one.of;
  if (of.kind != access_write) return false;
  if (of.values && std::memcmp(reinterpret_cast<const void*>(one.address()),
                               of.values + size_t{one.lane} * of.bytes, of.bytes) == 0)
    return true;
  return before.line == of.access.line && (before.thread - 1U) / lanes == of.warp.index &&
         before.block == block_;
}

void Checker::fail_race(const One& one, const char* what, const Access& before) {
  const uint64_t shared = reinterpret_cast<uint64_t>(one.of.warp.shared);
  const std::string memory = one.place->kind == Place::Kind::shared
                                 ? "shared memory, " + shared_name(one.address() - shared)
                                 : Memory::of_process().describe(one.address());
  fail(one, Trouble::Kind::race,
       cat("race: ", verb(one.of.kind), " ", memory, ", ", race(what, before, one.place->name)));
}

std::string Checker::race(const char* what, const Access& before, const std::string& where) const {
  const Dim thread = runner_->thread_of((before.thread - 1) / lanes, (before.thread - 1) % lanes);
  const std::string place = module_ ? module_->place(before.line) : "";
  return cat(
      what, where.empty() ? "" : cat(" ", where), " thread (", thread.x, ",", thread.y, ",", thread.z,
      ")", before.block != block_ ? cat(" of block ", before.block) : "",
      place.empty() ? "" : " at " + place, ", with nothing that puts the two in order",
      before.block != block_ ? " (blocks are not in order: use an atomic)" : ": a barrier is missing");
}

void Checker::doubt(const One& one) {
  if (now_.unwritten.warp) return;
  const uint64_t shared = reinterpret_cast<uint64_t>(one.of.warp.shared);
  now_.unwritten = {
      &one.of.warp, one.lane, one.of.access.line,
      "reads shared memory that nothing was written to: " + shared_name(one.address() - shared), 0};
}

}  // namespace twin
