// The frame: where registers, arrays and arguments of a warp stand, and how registers come from there and go back.
#include <algorithm>
#include <cstddef>

#include "engine/uses.h"
#include "engine/writer.h"
#include "error.h"
#include "runtime/warp.h"

namespace twin {

namespace {

constexpr int64_t lane_count = lanes;

// Open paths of a function, whatever its loops do. Lanes that have a side of a branch to go are on one path each, and
// never on the one that runs: 31 at most. Where a meeting place is opened, some of its lanes wait and the rest, fewer,
// go on, and whatever is opened above it has no more than those: 31 at most again.
constexpr int64_t most_paths = 2 * lane_count;

int64_t aligned(int64_t offset, int64_t align) { return (offset + align - 1) / align * align; }

}  // namespace

void Writer::lay_out() {
  // What a re-dispatch reads again must be in the frame as well.
  for (size_t b = 0; b < flow_.blocks.size(); ++b)
    if (needs_resume(flow_.blocks[b])) {
      const Instruction& last = function_.code[flow_.blocks[b].end - 1];
      for_each_read(last, [&](int r) { crossing_[static_cast<size_t>(r)] = true; });
      for_each_written(last, [&](int r) { crossing_[static_cast<size_t>(r)] = true; });
    }
  int64_t at = aligned(sizeof(Frame), 64);
  layout_.paths = at;
  at += most_paths * static_cast<int64_t>(sizeof(Path));
  at = aligned(at, 128);
  layout_.registers.assign(function_.registers.size(), -1);
  for (size_t r = 0; r < function_.registers.size(); ++r) {
    if (!crossing_[r]) continue;
    const bool wide = divergence_.varying[r];
    const ptx::Type type = function_.registers[r].type;
    const int64_t bytes = type == Type::pred ? 4 : std::max<int64_t>(ptx::bits_of(type) / 8, 1);
    // What has a step is kept as the rows' first values; behind the vector, with whether they hold, where guarded.
    const bool vector = wide && type != Type::pred && (!divergence_.step[r] || divergence_.guarded[r]);
    if (vector) at = aligned(at, 128);
    layout_.registers[r] = at;
    if (vector) at += bytes * lane_count;
    if (divergence_.step[r])
      at += 8 * static_cast<int64_t>(rows() + 1);
    else if (!vector)
      at += 8;
  }
  at = aligned(at, 128);
  const auto lay_pieces = [](const std::vector<ptx::Variable>& list, auto& offsets) {
    int64_t bytes = 0;
    for (const ptx::Variable& variable : list) {
      bytes = aligned(bytes, 8);
      offsets[variable.name] = bytes;
      bytes += static_cast<int64_t>(variable.bytes);
    }
    return aligned(bytes, 8);
  };
  if (function_.kernel) {
    const auto offsets = parameter_offsets(function_, nullptr);
    for (size_t k = 0; k < offsets.size(); ++k)
      layout_.parameters[function_.parameters[k].name] = offsets[k];
  } else {
    lay_pieces(function_.parameters, layout_.parameters);
    layout_.results_bytes = static_cast<uint32_t>(lay_pieces(function_.results, layout_.results));
  }
  // Arguments of calls: laid out as the callee sees them, one after another.
  for (const Instruction& i : function_.code) {
    if (i.opcode != "call" || !is_real_call(module_, i)) continue;
    for (const Operand& list : i.operands) {
      if (list.kind != Operand::Kind::list) continue;
      for (const Operand& item : list.items) {
        const auto local = std::find_if(function_.locals.begin(), function_.locals.end(),
                                        [&](const ptx::Variable& v) { return v.name == item.name; });
        if (local == function_.locals.end()) continue;
        at = aligned(at, 8 * lane_count);
        layout_.arguments[item.name] = at;
        at += aligned(static_cast<int64_t>(local->bytes), 8) * lane_count;
      }
    }
    at = aligned(at, 8 * lane_count);
  }
  for (const ptx::Variable& local : function_.locals) {
    if (local.space != ptx::Space::local) continue;
    const auto lane_bytes = aligned(static_cast<int64_t>(local.bytes),
                                    std::max<int64_t>(16, static_cast<int64_t>(local.align)));
    at = aligned(at, 128);
    layout_.locals[local.name] = {at, lane_bytes};
    at += lane_bytes * lane_count;
  }
  layout_.frame_bytes = aligned(at, 128);
}

std::string Writer::warp_field(size_t offset) { return ir_.at("%warp", static_cast<int64_t>(offset)); }

std::string Writer::grid_field(size_t offset) { return ir_.at("%grid", static_cast<int64_t>(offset)); }

Value Writer::service(size_t offset) {
  const std::string services = ir_.load("ptr", grid_field(offsetof(Grid, services)), 8).name;
  return ir_.load("ptr", ir_.at(services, static_cast<int64_t>(offset)), 8);
}

Value Writer::load_register(int reg) {
  const auto r = static_cast<size_t>(reg);
  const Type type = function_.registers[r].type;
  const std::string place = ir_.at("%frame", layout_.registers[r]);
  if (type == Type::pred) {
    const Value bits = ir_.load("i32", place, 4);
    if (!divergence_.varying[r]) return ir_.compare("icmp ne", bits, {"0", "i32"});
    Value wide{ir_.fresh(), "i1", true};
    ir_.line(cat(wide.name, " = bitcast ", bits.typed(), " to <32 x i1>"));
    return wide;
  }
  const std::string one = register_type(type);
  if (!divergence_.varying[r]) return ir_.load(one, place, 4);
  if (divergence_.step[r]) {
    const int64_t skip =
        divergence_.guarded[r] ? static_cast<int64_t>(ptx::bits_of(type)) / 8 * lane_count : 0;
    const auto at = [&](size_t word) { return ir_.at(place, skip + static_cast<int64_t>(8 * word)); };
    std::vector<std::string> firsts;
    for (size_t row = 0; row < rows(); ++row) firsts.push_back(ir_.load(one, at(row), 4).name);
    if (!skip) return stepping(std::move(firsts), *divergence_.step[r], one);
    Value value = ir_.load(cat("<32 x ", one, ">"), place, 128);
    value.firsts = std::move(firsts);
    value.step = *divergence_.step[r];
    value.valid = ir_.compare("icmp ne", ir_.load("i32", at(rows()), 4), {"0", "i32"}).name;
    return value;
  }
  return ir_.load(cat("<32 x ", one, ">"), place, 128);
}

void Writer::store_register(int reg, const Value& value) {
  const auto r = static_cast<size_t>(reg);
  const std::string place = ir_.at("%frame", layout_.registers[r]);
  if (function_.registers[r].type == Type::pred) return ir_.store(ir_.mask_bits(value), place, 4);
  if (divergence_.step[r]) {
    const bool guarded = divergence_.guarded[r];
    const int64_t skip =
        guarded ? static_cast<int64_t>(ptx::bits_of(function_.registers[r].type)) / 8 * lane_count : 0;
    const auto at = [&](size_t word) { return ir_.at(place, skip + static_cast<int64_t>(8 * word)); };
    for (size_t row = 0; row < rows(); ++row) ir_.store({first_of(value, row), value.type}, at(row), 4);
    if (!guarded) return;
    ir_.store(value, place, 128);
    return ir_.store(
        value.valid.empty() ? Value{"1", "i32"} : ir_.convert("zext", {value.valid, "i1"}, "i32"),
        at(rows()), 4);
  }
  ir_.store(value, place, divergence_.varying[r] ? 128 : 4);
}

Value Writer::read(int reg) {
  const auto r = static_cast<size_t>(reg);
  if (const auto found = now_.find(reg); found != now_.end()) return found->second;
  Value value;
  if (layout_.registers[r] >= 0) {
    value = load_register(reg);
  } else {  // read before it is written: any value
    value = {"0", register_type(function_.registers[r].type)};
    if (function_.registers[r].type == Type::pred) value.name = "false";
    if (divergence_.varying[r]) value = ir_.widen(value);
  }
  return now_[reg] = value;
}

void Writer::write(int reg, Value value) {
  const auto r = static_cast<size_t>(reg);
  if (at_ && at_->guard >= 0) value = ir_.select(guard(), value, read(reg));
  if (divergence_.step[r]) {  // one number for all is a step of 0
    if (!value.wide) value = stepping(std::vector<std::string>(rows(), value.name), 0, value.type);
    const bool lost = value.firsts.empty() || value.step != *divergence_.step[r];
    if (!divergence_.guarded[r]) {
      value.valid.clear();  // the analysis knows that nothing wraps around
    } else if (lost) {      // the lanes' own values are kept as well
      value.firsts.assign(rows(), "0");
      value.step = *divergence_.step[r];
      value.valid = "false";
    }
    if (value.firsts.empty() || value.step != *divergence_.step[r])
      throw CompileError(
          cat(function_.name, ": the twin lost the steps of ", function_.registers[r].name));
  } else if (divergence_.varying[r]) {
    value = ir_.widen(value);
  } else if (value.wide) {
    value = uniform(value);
  }
  now_[reg] = std::move(value);
  dirty_[r] = true;
}

}  // namespace twin
