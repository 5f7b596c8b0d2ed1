// Memory. All spaces are the host's: global memory, a block's shared memory, a lane's own arrays. A warp that reads
// neighbouring words in order reads one vector; else each lane reads for itself.
#include <cstddef>

#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {

namespace {

bool is_ordered(const ptx::Instruction& i) {
  for (const char* word : {"volatile", "relaxed", "acquire", "release", "mmio"})
    if (i.has(word)) return true;
  return false;
}

}  // namespace

bool Writer::memory() {
  const std::string& op = at_->opcode;
  if (op == "ld" || op == "ldu") {
    const Operand& from = operand(1);
    const bool by_name = from.reg < 0 && !from.name.empty();
    if (at_->space() == ptx::Space::param && by_name &&
        !(function_.kernel && layout_.parameters.count(from.name)))
      return load_parameter(), true;
    return load(), true;
  }
  if (op == "st") return at_->space() == ptx::Space::param ? store_parameter() : store(), true;
  if (op == "atom" || op == "red") return atomic(), true;
  if (op == "membar" || op == "fence") {
    ir_.line("fence seq_cst");
    note_sync(sync_fence);
    return true;
  }
  if (op == "prefetch" || op == "prefetchu" || op == "discard" || op == "applypriority" ||
      op == "nanosleep" || op == "brkpt" || op == "pmevent")
    return true;
  if (op == "isspacep") {
    const Value address = get(1, Type::u64);
    const std::string shared = ir_.load("ptr", warp_field(offsetof(Warp, shared)), 8).name;
    const Value base{ir_.fresh(), "i64"};
    ir_.line(cat(base.name, " = ptrtoint ptr ", shared, " to i64"));
    const Value dynamic =
        ir_.convert("zext", ir_.load("i32", grid_field(offsetof(Grid, dynamic_shared)), 4), "i64");
    const Value size = ir_.binary("add", dynamic, {std::to_string(shared_.bytes), "i64"});
    const Value inside = ir_.compare("icmp ult", ir_.binary("sub", address, base), size);
    if (at_->has("shared")) return set(inside, Type::pred), true;
    if (at_->has("global")) return set(ir_.binary("xor", inside, {"true", "i1"}), Type::pred), true;
    unknown();
  }
  return false;
}

Value Writer::address(const Operand& from) {
  Value value{"0", "i64"};
  Operand base = from;
  base.offset = 0;
  base.kind = from.reg >= 0 ? Operand::Kind::reg : Operand::Kind::symbol;
  if (from.reg >= 0 || !from.name.empty()) value = get(base, Type::u64);
  if (from.offset) value = sum_of(value, {std::to_string(from.offset), "i64"}, false);
  return value;
}

unsigned Writer::vector_length() const {
  return at_->has("v4") ? 4 : at_->has("v2") ? 2 : at_->has("v8") ? 8 : 1;
}

void Writer::load() {
  const Type type = at_->type();
  const unsigned count = vector_length();
  const std::string kept = cat("i", ptx::bits_of(type));
  const Value from = address(operand(1));
  if (at_->space() != ptx::Space::param)
    check(from, count * ptx::bits_of(type) / 8, access_read | (is_ordered(*at_) ? access_aware : 0U),
          at_->space());
  // What another thread may change must be read anew each time.
  if (is_ordered(*at_)) ir_.line("call void asm sideeffect \"\", \"~{memory}\"()");
  const std::vector<Value> values = load_lanes(from, kept, count);
  const Operand& to = operand(0);
  if (count == 1) return set(to.kind == Operand::Kind::list ? to.items.at(0) : to, values[0], type);
  if (to.items.size() != count) unknown("with as many results");
  for (unsigned k = 0; k < count; ++k) set(to.items[k], values[k], type);
}

void Writer::store() {
  const Type type = at_->type();
  const unsigned count = vector_length();
  const Value to = address(operand(0));
  const Operand& from = operand(1);
  const std::string kept = cat("i", ptx::bits_of(type));
  std::vector<Value> values;
  if (count == 1)
    values.push_back(
        ir_.bits(get(from.kind == Operand::Kind::list ? from.items.at(0) : from, type), kept));
  else
    for (unsigned k = 0; k < count; ++k) values.push_back(ir_.bits(get(from.items.at(k), type), kept));
  check(to, count * ptx::bits_of(type) / 8, access_write, at_->space(),
        count == 1 ? &values[0] : nullptr);
  store_lanes(to, std::move(values), kept);
}

/// Lets the runtime look at an access before it happens.
void Writer::check(const Value& address, unsigned bytes, uint32_t kind, ptx::Space space,
                   const Value* stored) {
  if (!options_.checks && !options_.profile) return;
  const std::string place = scratch(0);
  ir_.store(ir_.widen(address), place, 128);
  if (options_.profile) {
    const Value tell = service(offsetof(Services, touched));
    ir_.call("void", false,
             cat(tell.name, "(ptr %warp, ptr ", place, ", ", active().typed(), ", i32 ",
                 kind | static_cast<uint32_t>(space) << 4 | bytes << 8, ", i32 ",
                 packed_line(at_->line.file, at_->line.line), ")"));
  }
  if (!options_.checks) return;
  std::string values = "null";
  if (stored) {
    values = scratch(1);
    ir_.store(ir_.widen(*stored), values, 128);
  }
  const Value look = service(offsetof(Services, access));
  const uint32_t what = kind | static_cast<uint32_t>(space) << 4 | bytes << 8;
  const Value lanes_on = active();
  const Value answer =
      ir_.call("i32", false,
               cat(look.name, "(ptr %warp, ptr ", place, ", ", lanes_on.typed(), ", i32 ", what,
                   ", i32 ", packed_line(at_->line.file, at_->line.line), ", ptr ", values, ")"));
  fault_if(ir_.compare("icmp ne", answer, number(0)), fault_memory, lanes_on);
}

/// Tells the runtime that lanes are in step.
void Writer::note_sync(uint32_t kind) {
  if (!options_.checks) return;
  const Value tell = service(offsetof(Services, sync));
  ir_.call("void", false, cat(tell.name, "(ptr %warp, i32 ", kind, ", ", active().typed(), ")"));
}

/// Tells who counts that the active lanes go through a block.
void Writer::count_block(const Block& block) {
  if (!options_.profile) return;
  const Value tell = service(offsetof(Services, executed));
  const uint32_t all =
      static_cast<uint32_t>(block.end - block.begin) | (block.ending == Ending::branch ? 1U << 31 : 0);
  ir_.call("void", false, cat(tell.name, "(ptr %warp, i32 ", all, ", ", mask().typed(), ")"));
}

void Writer::count_parting() {
  if (!options_.profile) return;
  const Value tell = service(offsetof(Services, parted));
  ir_.call("void", false,
           cat(tell.name, "(ptr %warp, i32 ", packed_line(at_->line.file, at_->line.line), ")"));
}

}  // namespace twin
