#include "check/checker.h"

#include <algorithm>
#include <bit>

#include "engine/ir.h"
#include "runtime/module.h"

namespace twin {
namespace {

/// Whether a kernel, or what it calls, has atomics.
bool has_atomics(const ptx::Module& module, size_t kernel) {
  for (const size_t index : reachable(module, kernel))
    for (const ptx::Instruction& i : module.functions[index].code)
      if (i.opcode == "atom" || i.opcode == "red") return true;
  return false;
}

}  // namespace

Checker::Checker(bool quick) : quick_(quick) { Memory::of_process().set_careful(true); }

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
  atomics_ = has_atomics(module->text(), kernel);
  fences_.clear();
  looks_.clear();
}

void Checker::enter(BlockRunner& runner) {
  runner_ = &runner;
  runner.observe(this);
  places_ = {};
  now_.shared_cells.assign((runner.shared_bytes() + 3) / 4 + 1, Cell{});
  now_.settled.assign(now_.shared_cells.size(), Settled{});
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
  for (size_t w = 0; w < now_.clock.size(); ++w) next_moment(w);
  next_phase(true);
}

void Checker::go_on(BlockRunner& runner, uint64_t index, Block&& block) {
  now_ = std::move(block);
  runner_ = &runner;
  block_ = static_cast<uint32_t>(index);
  places_ = {};
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

/// Whoever waits there later has seen what this warp did up to here, and nothing of what follows.
void Checker::arrive(uint32_t warp, int32_t name) {
  Clock& known = now_.arrived[static_cast<size_t>(name) % now_.arrived.size()];
  for (size_t k = 0; k < known.size(); ++k) known[k] = std::max(known[k], now_.clock[warp][k]);
  ++now_.clock[warp][warp];
  next_moment(warp);
  next_phase(false);
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
    next_moment(w);
  }
  const uint64_t all = (runner_->dim().count() + lanes - 1) / lanes;
  next_phase(static_cast<uint64_t>(std::popcount(warps)) == all);
}

void Checker::sync(Warp& warp, uint32_t kind) {
  if (kind == sync_fence)
    ++now_.fence;
  else
    ++now_.turn[warp.index], next_moment(warp.index), now_.phase[warp.index] = no_phase;
}

}  // namespace twin
