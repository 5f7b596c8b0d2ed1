#include "check/checker.h"

#include <algorithm>
#include <cstring>

#include "engine/ir.h"
#include "runtime/module.h"

namespace twin {
namespace {

const char* verb(uint32_t kind) {
  return kind == access_read ? "reads" : kind == access_write ? "writes" : "changes";
}

/// "sums" of "reduce(float*)::sums", as PTX has it.
std::string bare_name(const std::string& symbol) {
  const std::string name = readable(symbol.substr(0, symbol.find('#')));
  const size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

}  // namespace

Checker::Checker() { Memory::of_process().set_careful(true); }

void Checker::use(LoadedModule* module, size_t kernel) {
  module_ = module;
  shared_ = shared_layout_of(module->text(), kernel, true);
  shared_names_.clear();
  const auto add = [&](const ptx::Variable& variable) {
    const auto found = shared_.offsets.find(variable.name);
    if (variable.space != ptx::Space::shared || found == shared_.offsets.end()) return;
    shared_names_.push_back({variable.name, {found->second, static_cast<int64_t>(variable.bytes)}});
  };
  for (const ptx::Variable& variable : module->text().variables) add(variable);
  for (const ptx::Function& function : module->text().functions)
    for (const ptx::Variable& variable : function.locals) add(variable);
  std::sort(shared_names_.begin(), shared_names_.end(),
            [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  fences_.clear();
  looks_.clear();
}

void Checker::enter(BlockRunner& runner) {
  runner_ = &runner;
  runner.observe(this);
  near_ = {};
  known_ = {};
  now_.shared_cells.assign((runner.shared_bytes() + 3) / 4 + 1, Cell{});
}

void Checker::begin_block(BlockRunner& runner, uint64_t index) {
  if (fences_.size() <= block_) fences_.resize(block_ + 1);
  fences_[block_] = now_.fence;
  runner_ = &runner;
  block_ = static_cast<uint32_t>(index);
  now_.fence = 0;
  now_.unwritten = {};
  now_.unordered.clear();
  now_.arrived = {};
  now_.looks.resize(runner.dim().count());
  now_.stamp = ++stamps_;
  for (auto& row : now_.clock) row.fill(0);
  for (size_t w = 0; w < now_.clock.size(); ++w) now_.clock[w][w] = 1;
  now_.turn.fill(0);
}

void Checker::go_on(BlockRunner& runner, uint64_t index, Block&& block) {
  now_ = std::move(block);
  runner_ = &runner;
  block_ = static_cast<uint32_t>(index);
  near_ = {};
}

bool Checker::end_block(BlockRunner& runner) {
  if (runner.trouble().kind == Trouble::Kind::race) return true;
  if (const Doubt& doubt = now_.unwritten; doubt.warp) {
    runner.report(*doubt.warp, doubt.lane, Trouble::Kind::unwritten, doubt.text, doubt.line);
    return false;
  }
  if (runner.trouble().kind != Trouble::Kind::none) return true;
  for (const Doubt& doubt : now_.unordered) {
    if (std::find(looks_.begin(), looks_.end(), doubt.look) != looks_.end()) continue;
    runner.report(*doubt.warp, doubt.lane, Trouble::Kind::race, doubt.text, doubt.line);
    return false;
  }
  return true;
}

void Checker::doubt(const One& one, const std::string& text) {
  if (!now_.unwritten.warp) now_.unwritten = {&one.warp, one.lane, one.line, text};
}

/// Whoever waits there later has seen what this warp did up to here, and nothing of what follows.
void Checker::arrive(uint32_t warp, int32_t name) {
  Clock& known = now_.arrived[static_cast<size_t>(name) % now_.arrived.size()];
  for (size_t k = 0; k < known.size(); ++k) known[k] = std::max(known[k], now_.clock[warp][k]);
  ++now_.clock[warp][warp];
}

void Checker::barrier(uint32_t warps, int32_t name) {
  Clock joined{};
  if (name != grid_barrier)
    std::swap(joined, now_.arrived[static_cast<size_t>(name) % now_.arrived.size()]);
  for (size_t w = 0; w < 32; ++w)
    if (warps >> w & 1)
      for (size_t k = 0; k < 32; ++k) joined[k] = std::max(joined[k], now_.clock[w][k]);
  for (size_t w = 0; w < 32; ++w) {
    if (!(warps >> w & 1)) continue;
    now_.clock[w] = joined;
    ++now_.clock[w][w];
    ++now_.turn[w];
  }
}

void Checker::sync(Warp& warp, uint32_t kind) {
  if (kind == sync_fence)
    ++now_.fence;
  else
    ++now_.turn[warp.index];
}

bool Checker::access(Warp& warp, const uint64_t* addresses, Mask mask, uint32_t what, uint32_t line,
                     const void* values) {
  const uint32_t kind = what & access_kinds, space = what >> 4 & 15, bytes = what >> 8;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const void* value = values ? static_cast<const char*>(values) + size_t{lane} * bytes : nullptr;
    if (!look({warp, lane, addresses[lane], bytes, kind, line, value, (what & access_aware) != 0},
              space))
      return false;
  }
  return true;
}

bool Checker::look(const One& one, uint32_t space) {
  const uint64_t offset = one.address - reinterpret_cast<uint64_t>(one.warp.shared);
  const bool in_shared = offset < runner_->shared_bytes();
  const bool of_shared = space == static_cast<uint32_t>(ptx::Space::shared);
  if (one.address & (one.bytes - 1))
    return fail(one, Trouble::Kind::alignment,
                cat(verb(one.kind), " ", one.bytes, " bytes at an address that isn't a multiple of ",
                    one.bytes, ": ",
                    in_shared ? cat("shared memory, ", shared_name(offset))
                              : Memory::of_process().describe(one.address)));
  if (of_shared || in_shared) return look_shared(one, offset);
  if (is_known(one)) return touch(known_.cells, one.address - known_.base, one, false, known_.name);
  if (runner_->is_private(one.address)) return true;
  return look_global(one);
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

/// Whether it lies in the allocation of the access before: most do.
bool Checker::is_known(const One& one) const {
  return one.address >= known_.base && one.address + one.bytes <= known_.end &&
         known_.state == Memory::of_process().state();
}

bool Checker::look_shared(const One& one, uint64_t offset) {
  // Not by the end alone: what lies before shared memory has a huge offset, and its end may be small.
  if (offset >= near_.first && offset < near_.second && offset + one.bytes <= near_.second)
    return touch(now_.shared_cells.data(), offset, one, true, "");
  bool inside = offset + one.bytes <= runner_->shared_bytes() && static_cast<int64_t>(offset) >= 0;
  if (inside) {
    const auto dynamic = static_cast<uint64_t>(shared_.bytes);
    inside = offset >= dynamic;
    for (const auto& [name, range] : shared_names_) {
      const auto begin = static_cast<uint64_t>(range.first),
                 bytes = static_cast<uint64_t>(range.second);
      if (offset < begin || offset + one.bytes > begin + bytes) continue;
      inside = true;
      near_ = {begin, begin + bytes};
    }
  }
  if (!inside) {
    const auto at = static_cast<int64_t>(offset);
    const bool far = at < -(1 << 20) || at > static_cast<int64_t>(runner_->shared_bytes()) + (1 << 20);
    const bool of_launch = at >= shared_.bytes;
    return fail(
        one, Trouble::Kind::address,
        cat(verb(one.kind), " ", one.bytes,
            " bytes outside of shared memory: ", far ? "far from it" : shared_name(offset),
            of_launch ? cat(", and the launch gives ", runner_->grid().dynamic_shared, " bytes") : ""));
  }
  return touch(now_.shared_cells.data(), offset, one, true, "");
}

Cell* Checker::cells_of(const Allocation& allocation) {
  // What the host registers may be registered again in another size.
  Cells& known = global_cells_[reinterpret_cast<uint64_t>(allocation.base)];
  if (!known.cells || known.bytes != allocation.bytes)
    known = {allocation.bytes, std::make_unique<Cell[]>(allocation.bytes / 4 + 2)};
  return known.cells.get();
}

bool Checker::look_global(const One& one) {
  const Allocation* allocation = Memory::of_process().find(one.address);
  const bool whole = allocation && one.address + one.bytes <=
                                       reinterpret_cast<uint64_t>(allocation->base) + allocation->bytes;
  if (!whole || allocation->freed)
    return fail(
        one, Trouble::Kind::address,
        cat(verb(one.kind), " ", one.bytes, " bytes ",
            allocation && allocation->freed ? "of freed memory: " : "out of bounds: ",
            Memory::of_process().describe(
                allocation && !whole ? reinterpret_cast<uint64_t>(allocation->base) + allocation->bytes
                                     : one.address)));
  known_ = {reinterpret_cast<uint64_t>(allocation->base),
            reinterpret_cast<uint64_t>(allocation->base) + allocation->bytes,
            Memory::of_process().state(), cells_of(*allocation), allocation->name};
  return touch(known_.cells, one.address - known_.base, one, false, known_.name);
}

bool Checker::touch(Cell* cells, uint64_t first_byte, const One& one, bool shared,
                    std::string_view where) {
  for (uint64_t done = 0; done < one.bytes;) {
    const uint64_t byte = first_byte + done, in_word = byte % 4;
    const uint64_t count = std::min<uint64_t>(4 - in_word, one.bytes - done);
    const auto bytes = static_cast<uint8_t>(((1U << count) - 1) << in_word);
    if (!touch_word(cells[byte / 4], bytes, one, shared, where)) return false;
    done += count;
  }
  return true;
}

/// Whether an earlier access has happened before this one for everybody.
bool Checker::ordered(const Cell::Access& before, const One& one, bool shared,
                      bool before_wrote) const {
  const uint32_t warp = (before.thread - 1) / lanes, lane = (before.thread - 1) % lanes;
  if (!shared && before.block != block_) {
    // What was written before a fence may be read by who has heard of it.
    return before_wrote && one.kind == access_read && before.block < fences_.size() &&
           fences_[before.block] > before.fence;
  }
  if (warp == one.warp.index) return lane == one.lane || now_.turn[warp] != before.turn;
  return now_.clock[one.warp.index][warp] >= before.clock;
}

std::string Checker::race(const char* what, const Cell::Access& before, std::string_view where) const {
  const Dim thread = runner_->thread_of((before.thread - 1) / lanes, (before.thread - 1) % lanes);
  const std::string place = module_ ? module_->place(before.line) : "";
  return cat(
      what, where.empty() ? "" : cat(" ", where), " thread (", thread.x, ",", thread.y, ",", thread.z,
      ")", before.block != block_ ? cat(" of block ", before.block) : "",
      place.empty() ? "" : " at " + place, ", with nothing that puts the two in order",
      before.block != block_ ? " (blocks are not in order: use an atomic)" : ": a barrier is missing");
}

/// A plain read of what atomics of others change, with nothing that puts them in order: either the look that a loop
/// around an atomic begins with, or a barrier is missing. It is a look if the same thread's atomic follows, for one
/// thread that comes to that line at least: `if (x > most) atomicMax(&most, x)` mostly stops at the look.
void Checker::look_at_atomics(const Cell& cell, uint8_t bytes, const One& one) {
  const auto word = static_cast<uint32_t>(&cell - now_.shared_cells.data());
  const auto apart = [&](const Cell::Access& before, bool wrote) {
    return before.thread && before.thread != one.thread() && (before.bytes & bytes) &&
           !ordered(before, one, true, wrote);
  };
  if (one.kind == access_atomic) {
    forgive_look(word, one);
    for (const Cell::Access* read : {&cell.read, &cell.other_read})
      if (!read->aware && apart(*read, false)) suspect(one, "which is read by", *read, read->line);
  } else if (one.kind == access_read && !one.aware) {
    remember_look(word, one);
    if (cell.write.atomic && apart(cell.write, true))
      suspect(one, "which is changed by", cell.write, one.line);
  }
}

void Checker::remember_look(uint32_t word, const One& one) {
  std::array<Look, 4>& last = now_.looks[one.thread() - 1];
  std::move_backward(last.begin(), last.end() - 1, last.end());
  last[0] = {word, one.line, now_.clock[one.warp.index][one.warp.index],
             static_cast<uint32_t>(now_.stamp)};
}

void Checker::forgive_look(uint32_t word, const One& one) {
  for (const Look& look : now_.looks[one.thread() - 1])
    if (look.stamp == static_cast<uint32_t>(now_.stamp) && look.word == word &&
        look.clock == now_.clock[one.warp.index][one.warp.index] &&
        std::find(looks_.begin(), looks_.end(), look.line) == looks_.end())
      looks_.push_back(look.line);
}

void Checker::suspect(const One& one, const char* what, const Cell::Access& before, uint32_t look) {
  for (const Doubt& doubt : now_.unordered)
    if (doubt.look == look) return;
  const uint64_t offset = one.address - reinterpret_cast<uint64_t>(one.warp.shared);
  now_.unordered.push_back({&one.warp, one.lane, one.line,
                            cat("race: ", verb(one.kind), " shared memory, ", shared_name(offset), ", ",
                                race(what, before, "")),
                            look});
}

bool Checker::touch_word(Cell& cell, uint8_t bytes, const One& one, bool shared,
                         std::string_view where) {
  const uint32_t stamp = static_cast<uint32_t>(shared ? now_.stamp : launch_) & 0xFFFFFFF;
  if (cell.stamp != stamp) {
    const uint32_t kept = shared ? 0 : cell.initialised;
    cell = Cell{};
    cell.stamp = stamp & 0xFFFFFFF;
    cell.initialised = kept & 15;
  }
  const uint32_t thread = one.thread();
  const bool atomic = one.kind == access_atomic;
  const bool reads = one.kind != access_write, writes = one.kind != access_read;
  if (shared && reads && (cell.initialised & uint32_t{bytes}) != bytes)
    doubt(one, cat("reads shared memory that nothing was written to: ",
                   shared_name(one.address - reinterpret_cast<uint64_t>(one.warp.shared))));
  const auto conflicts = [&](const Cell::Access& before, bool before_wrote) {
    if (!before.thread || !(before.bytes & bytes)) return false;
    if (before.block != block_ ? !across_blocks_ : before.thread == thread) return false;
    // Atomics are in order with each other, and a plain look at what they change is how loops around them begin
    // (look_at_atomics).
    if ((before.atomic && (atomic || !writes)) || (atomic && !before_wrote)) return false;
    return !ordered(before, one, shared, before_wrote);
  };
  const auto memory = [&] {  // only a report wants words
    return shared ? "shared memory, " +
                        shared_name(one.address - reinterpret_cast<uint64_t>(one.warp.shared))
                  : Memory::of_process().describe(one.address);
  };
  if (conflicts(cell.write, true)) {
    // Writing what is there already harms nobody.
    const bool same =
        one.value && one.kind == access_write &&
        std::memcmp(reinterpret_cast<const void*>(one.address), one.value, one.bytes) == 0;
    const bool same_instruction = cell.write.line == one.line && writes &&
                                  (cell.write.thread - 1U) / lanes == one.warp.index &&
                                  cell.write.block == block_;
    if (!same && !(same_instruction && !atomic))
      return fail(one, Trouble::Kind::race,
                  cat("race: ", verb(one.kind), " ", memory(), ", ",
                      race(reads && !writes ? "which is written by" : "which is also written by",
                           cell.write, where)));
  }
  if (writes)
    for (const Cell::Access* read : {&cell.read, &cell.other_read})
      if (conflicts(*read, false))
        return fail(
            one, Trouble::Kind::race,
            cat("race: ", verb(one.kind), " ", memory(), ", ", race("which is read by", *read, where)));

  if (shared) look_at_atomics(cell, bytes, one);
  Cell::Access now;
  now.block = block_;
  now.line = one.line;
  now.clock = now_.clock[one.warp.index][one.warp.index];
  now.turn = now_.turn[one.warp.index];
  now.thread = thread & 0x7FF;
  now.atomic = atomic;
  now.bytes = bytes & 15;
  now.fence = static_cast<uint16_t>(std::min(now_.fence, 32767U)) & 0x7FFF;
  now.aware = one.aware;
  if (writes) {
    cell.write = now;
    cell.initialised = (cell.initialised | bytes) & 15;
    if (!reads) cell.read = cell.other_read = {};
  } else {
    const auto is_over = [&](const Cell::Access& read) {
      return !read.thread || read.thread == thread || read.block != block_ || !conflicts(read, false);
    };
    if (is_over(cell.read))
      cell.read = now;
    else if (is_over(cell.other_read))
      cell.other_read = now;
  }
  return true;
}

bool Checker::fail(const One& one, Trouble::Kind kind, const std::string& text) {
  runner_->report(one.warp, one.lane, kind, text, one.line);
  return false;
}

}  // namespace twin
