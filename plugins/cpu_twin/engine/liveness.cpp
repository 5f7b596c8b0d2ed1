#include "engine/liveness.h"

#include "engine/uses.h"

namespace twin {
namespace {

void add(RegisterSet& to, const RegisterSet& from) {
  for (size_t r = 0; r < to.size(); ++r)
    if (from[r]) to[r] = true;
}

}  // namespace

RegisterSet Liveness::crossing() const {
  RegisterSet all(in.back().size());
  for (const RegisterSet& live : in) add(all, live);
  return all;
}

RegisterSet Liveness::out(const Flow& flow, size_t block) const {
  RegisterSet live(in.back().size());
  for (const int to : flow.blocks[block].next) add(live, in[static_cast<size_t>(to)]);
  return live;
}

Liveness liveness_of(const ptx::Function& function, const Flow& flow) {
  const size_t registers = function.registers.size(), blocks = flow.blocks.size();
  Liveness live;
  live.in.assign(blocks + 1, RegisterSet(registers));
  live.written.assign(blocks, RegisterSet(registers));
  std::vector<RegisterSet> read_first(blocks, RegisterSet(registers));
  for (size_t b = 0; b < blocks; ++b) {
    for (size_t at = flow.blocks[b].begin; at < flow.blocks[b].end; ++at) {
      const ptx::Instruction& i = function.code[at];
      for_each_read(i, [&](int r) {
        if (!live.written[b][static_cast<size_t>(r)]) read_first[b][static_cast<size_t>(r)] = true;
      });
      for_each_written(i, [&](int r) { live.written[b][static_cast<size_t>(r)] = true; });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks; b-- > 0;) {
      RegisterSet now = live.out(flow, b);
      for (size_t r = 0; r < registers; ++r)
        now[r] = (now[r] && !live.written[b][r]) || read_first[b][r];
      if (now != live.in[b]) live.in[b] = std::move(now), changed = true;
    }
  }
  return live;
}

}  // namespace twin
