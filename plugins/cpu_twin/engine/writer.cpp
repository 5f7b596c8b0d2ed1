#include "engine/writer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "engine/uses.h"
#include "error.h"
#include "runtime/warp.h"

namespace twin {
namespace {

constexpr int64_t lane_count = lanes;

int64_t aligned(int64_t offset, int64_t align) { return (offset + align - 1) / align * align; }

/// The integer type of a register.
std::string register_type(ptx::Type type) { return cat("i", ptx::bits_of(type)); }

}  // namespace

Writer::Writer(const ptx::Module& module, const ptx::Function& function, const SharedLayout& shared,
               const Options& options)
    : module_(module),
      function_(function),
      shared_(shared),
      options_(options),
      flow_(flow_of(module, function)),
      live_(liveness_of(function, flow_)),
      divergence_(divergence_of(function, flow_, live_, options.shape)),
      crossing_(live_.crossing()),
      dirty_(function.registers.size()) {
  lay_out();
}

// ---- the frame ----------------------------------------------------------------------------------

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
  at += static_cast<int64_t>((2 * flow_.blocks.size() + 2) * sizeof(Path));
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

// ---- the function -------------------------------------------------------------------------------

std::string Writer::write(std::string_view symbol) {
  entry();
  for (size_t b = 0; b < flow_.blocks.size(); ++b) block(b);
  for (size_t b = 0; b < flow_.blocks.size(); ++b) {
    arrive(static_cast<int>(b));
    if (needs_resume(flow_.blocks[b])) resume(b);
  }
  pop_and_dispatch();
  ir_.label("impossible");
  ir_.line("unreachable");
  std::string text = cat("define i32 @", symbol, "(ptr %warp) #0 {\nentry:\n");
  for (size_t k = 0; k < scratches_; ++k)
    text += cat("  %scratch", k, " = alloca [32 x i64], align 128\n");
  return text + ir_.take() + "}\n";
}

void Writer::entry() {
  for (const char* name : {"%mask", "%join", "%depth"}) ir_.line(cat(name, " = alloca i32, align 4"));
  ir_.line("%patience = alloca i64, align 8");
  ir_.line(cat("%grid_at = getelementptr i8, ptr %warp, i64 ", offsetof(Warp, grid)));
  ir_.line("%grid = load ptr, ptr %grid_at, align 8");
  ir_.line(cat("%frame_at = getelementptr i8, ptr %warp, i64 ", offsetof(Warp, frame)));
  ir_.line("%frame = load ptr, ptr %frame_at, align 8");
  ir_.line(cat("%arguments_at = getelementptr i8, ptr %frame, i64 ", offsetof(Frame, arguments)));
  ir_.line("%arguments = load ptr, ptr %arguments_at, align 8");
  const Value frame_mask = ir_.load("i32", ir_.at("%frame", offsetof(Frame, mask)), 4);
  const Value living = ir_.load("i32", warp_field(offsetof(Warp, live)), 4);
  ir_.store(ir_.binary("and", frame_mask, living), "%mask", 4);
  ir_.store(ir_.load("i32", ir_.at("%frame", offsetof(Frame, join)), 4), "%join", 4);
  ir_.store(ir_.load("i32", ir_.at("%frame", offsetof(Frame, depth)), 4), "%depth", 4);
  ir_.store(ir_.load("i64", warp_field(offsetof(Warp, patience)), 8), "%patience", 8);
  const Value next = ir_.load("i32", ir_.at("%frame", offsetof(Frame, next)), 4);
  ir_.line(cat("%first_next = add ", next.typed(), ", 0"));
  ir_.line("br label %start");
  ir_.label("start");
  // Lanes that have ended for good meanwhile don't come back.
  const Value mask = ir_.load("i32", "%mask", 4);
  const Value none = ir_.compare("icmp eq", mask, {"0", "i32"});
  ir_.line(cat("br ", none.typed(), ", label %pop, label %dispatch"));
}

void Writer::block(size_t index) {
  block_ = index;
  now_.clear();
  passed_.clear();
  mask_ = mask_wide_ = {};
  dirty_.assign(dirty_.size(), false);
  ir_.label(cat("b", index));
  const Block& block = flow_.blocks[index];
  count_block(block);
  const bool ends = block.ending != Ending::jump || block.explicit_jump;
  for (size_t at = block.begin; at < block.end; ++at) {
    at_ = &function_.code[at];
    if (ends && at + 1 == block.end) break;
    instruction();
  }
  ending(index);
}

void Writer::instruction() {
  if (!(memory() || arithmetic() || bit_operation() || conversion() || warp_operation())) unknown();
}

/// Puts into the frame what later blocks read. Lanes that wait elsewhere keep what they have.
void Writer::flush(size_t index) {
  const RegisterSet out = live_.out(flow_, index);
  const bool resumes = needs_resume(flow_.blocks[index]);
  for (size_t r = 0; r < dirty_.size(); ++r) {
    if (!dirty_[r] || layout_.registers[r] < 0) continue;
    if (!out[r] && !resumes) continue;
    Value value = now_.at(static_cast<int>(r));
    if (divergence_.varying[r] && divergence_.keep[index][r]) {
      const Instruction* instruction = at_;
      at_ = nullptr;  // the guard of an instruction isn't meant here
      value = ir_.select(mask_wide(), value, load_register(static_cast<int>(r)));
      at_ = instruction;
    }
    store_register(static_cast<int>(r), value);
  }
  dirty_.assign(dirty_.size(), false);
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
    if (!divergence_.guarded[r]) value.valid.clear();  // the analysis knows that nothing wraps around
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

// ---- masks --------------------------------------------------------------------------------------

Value Writer::guard() {
  Value condition = read(at_->guard);
  if (at_->guard_negated) condition = ir_.binary("xor", condition, {"true", "i1"});
  return condition;
}

Value Writer::mask() {
  if (mask_.name.empty()) mask_ = ir_.load("i32", "%mask", 4);
  return mask_;
}

Value Writer::active() {
  if (!at_ || at_->guard < 0) return mask();
  return ir_.binary("and", mask(), ir_.mask_bits(guard()));
}

Value Writer::mask_wide() {
  if (mask_wide_.name.empty()) {
    mask_wide_ = {ir_.fresh(), "i1", true};
    ir_.line(cat(mask_wide_.name, " = bitcast ", mask().typed(), " to <32 x i1>"));
  }
  if (!at_ || at_->guard < 0) return mask_wide_;
  return ir_.binary("and", mask_wide_, ir_.widen(guard()));
}

Value Writer::first_active() { return ir_.intrinsic("cttz", {active()}, "i1 false"); }

Value Writer::uniform(const Value& value) {
  if (!value.wide) return value;
  // With no lane active, any will do.
  return ir_.lane(value, ir_.binary("and", first_active(), {"31", "i32"}));
}

// ---- operands -----------------------------------------------------------------------------------

std::string Writer::of(Type type) {
  switch (type) {
    case Type::f16: return "half";
    case Type::f32: return "float";
    case Type::f64: return "double";
    default: return register_type(type);
  }
}

void Writer::unknown(std::string_view why) const {
  std::string text = at_->opcode;
  for (const std::string& modifier : at_->modifiers) text += "." + modifier;
  std::string place;
  if (at_->line.file < module_.files.size() && at_->line.line)
    place = cat(module_.files[at_->line.file], ":", at_->line.line, ": ");
  throw CompileError(cat(place, function_.name, ": the twin doesn't know the PTX instruction ", text,
                         why.empty() ? "" : " ", why));
}

const ptx::Operand& Writer::operand(size_t index) const {
  if (index >= at_->operands.size()) unknown("with so few operands");
  return at_->operands[index];
}

Value Writer::get(const Operand& from, Type type) {
  if (half_ >= 0 && ptx::bits_of(type) == 16) {
    const int half = std::exchange(half_, -1);
    Value word = get(from, Type::u32);
    if (half == 1) word = ir_.binary("lshr", word, {"16", "i32"});
    half_ = half;
    return ir_.bits(ir_.convert("trunc", word, "i16"), of(type));
  }
  Value value;
  const std::string wanted = of(type);
  switch (from.kind) {
    case Operand::Kind::reg: value = read(from.reg); break;
    case Operand::Kind::integer:
      if (type == Type::pred) return {from.bits ? "true" : "false", "i1"};
      value = {std::to_string(static_cast<int64_t>(from.bits)), register_type(type)};
      // The literal is that of a wider type: cut it as C does.
      if (const unsigned bits = ptx::bits_of(type); bits < 64)
        value.name = std::to_string(from.bits & ((uint64_t{1} << bits) - 1));
      break;
    case Operand::Kind::real:
      if (from.single)
        return ir_.bits({std::to_string(static_cast<uint32_t>(from.bits)), "i32"}, wanted);
      if (ptx::bits_of(type) == 32)
        return ir_.bits({std::to_string(std::bit_cast<uint32_t>(
                             static_cast<float>(std::bit_cast<double>(from.bits)))),
                         "i32"},
                        wanted);
      return ir_.bits({std::to_string(static_cast<int64_t>(from.bits)), "i64"}, wanted);
    case Operand::Kind::symbol: value = symbol(from, type); break;
    case Operand::Kind::list: {  // {a, b} as one wider value, the first the lowest
      const unsigned part = ptx::bits_of(type) / static_cast<unsigned>(from.items.size());
      const Type part_type = part == 8 ? Type::u8 : part == 16 ? Type::u16 : Type::u32;
      for (size_t k = 0; k < from.items.size(); ++k) {
        Value one = ir_.convert("zext", get(from.items[k], part_type), register_type(type));
        if (k > 0) one = ir_.binary("shl", one, {std::to_string(part * k), one.type});
        value = k == 0 ? one : ir_.binary("or", value, one);
      }
      break;
    }
    default: unknown("with such an operand");
  }
  if (type == Type::pred) {
    if (from.negated) value = ir_.binary("xor", value, {"true", "i1"});
    return value;
  }
  // A register may be wider than the operation; an integer register may hold a float.
  if (value.type == "i1") value = ir_.convert("zext", value, register_type(type));
  const unsigned have = static_cast<unsigned>(std::stoi(value.type.substr(1)));
  if (have > ptx::bits_of(type)) value = ir_.convert("trunc", value, register_type(type));
  if (have < ptx::bits_of(type))
    value = ir_.convert(ptx::is_signed(type) ? "sext" : "zext", value, register_type(type));
  // (a value that keeps its type keeps its steps as well)
  return ir_.bits(value, wanted);
}

Value Writer::get_predicate(const Operand& from) { return get(from, Type::pred); }

void Writer::set(const Operand& to, Value value, Type type) {
  if (to.kind == Operand::Kind::sink) return;
  if (to.kind == Operand::Kind::list) {
    const unsigned part = ptx::bits_of(type) / static_cast<unsigned>(to.items.size());
    const Type part_type = part == 8 ? Type::u8 : part == 16 ? Type::u16 : Type::u32;
    value = ir_.bits(value, register_type(type));
    for (size_t k = 0; k < to.items.size(); ++k) {
      Value one = k == 0 ? value : ir_.binary("lshr", value, {std::to_string(part * k), value.type});
      set(to.items[k], ir_.convert("trunc", one, register_type(part_type)), part_type);
    }
    return;
  }
  if (to.kind != Operand::Kind::reg) unknown("with such a result");
  const Type kept = function_.registers[static_cast<size_t>(to.reg)].type;
  if (kept != Type::pred && value.type != "i1") {
    value = ir_.bits(value, cat("i", ptx::bits_of(type)));
    if (ptx::bits_of(kept) > ptx::bits_of(type))
      value = ir_.convert(ptx::is_signed(type) ? "sext" : "zext", value, register_type(kept));
    if (ptx::bits_of(kept) < ptx::bits_of(type))
      value = ir_.convert("trunc", value, register_type(kept));
  }
  write(to.reg, std::move(value));
}

// ---- symbols ------------------------------------------------------------------------------------

Value Writer::special(const std::string& name) {
  const auto field = [&](size_t offset) { return ir_.load("i32", warp_field(offset), 4); };
  const auto grid = [&](size_t offset) { return ir_.load("i32", grid_field(offset), 4); };
  const auto tid = [&](size_t offset, int64_t step) {
    if (rows() == 0) return ir_.load("<32 x i32>", warp_field(offset), 128);
    if (rows() == 1 && step == 0) return field(offset);
    std::vector<std::string> firsts;
    for (size_t row = 0; row < rows(); ++row)
      firsts.push_back(field(offset + row * (32 / rows()) * 4).name);
    return stepping(std::move(firsts), step, "i32");
  };
  const Value one{"1", "i32"};
  if (name == "%tid.x") return tid(offsetof(Warp, tid_x), 1);
  if (name == "%tid.y") return tid(offsetof(Warp, tid_y), 0);
  if (name == "%tid.z") return tid(offsetof(Warp, tid_z), 0);
  for (size_t k = 0; k < 3; ++k) {
    const std::string axis = cat(".", std::string_view("xyz").substr(k, 1));
    if (name == "%ntid" + axis) return grid(offsetof(Grid, ntid) + 4 * k);
    if (name == "%ctaid" + axis) return field(offsetof(Warp, ctaid) + 4 * k);
    if (name == "%nctaid" + axis) return grid(offsetof(Grid, nctaid) + 4 * k);
  }
  if (name == "%laneid") return rows() == 1 ? stepping({"0"}, 1, "i32") : Ir::iota("i32");
  if (name == "%warpid") return field(offsetof(Warp, index));
  if (name == "%nwarpid" || name == "%nsmid") return {"32", "i32"};
  if (name == "%smid") return {"0", "i32"};
  if (name == "%gridid") return {"0", "i64"};
  if (name == "%lanemask_eq") return ir_.binary("shl", ir_.widen(one), Ir::iota("i32"));
  const Value below = ir_.binary("sub", ir_.binary("shl", ir_.widen(one), Ir::iota("i32")), one);
  if (name == "%lanemask_lt") return below;
  if (name == "%lanemask_ge") return ir_.binary("xor", below, {"-1", "i32"});
  const Value upto = ir_.binary("or", ir_.binary("shl", below, one), one);
  if (name == "%lanemask_le") return upto;
  if (name == "%lanemask_gt") return ir_.binary("xor", upto, {"-1", "i32"});
  if (name == "%dynamic_smem_size") return grid(offsetof(Grid, dynamic_shared));
  if (name == "%total_smem_size")
    return ir_.binary("add", grid(offsetof(Grid, dynamic_shared)),
                      {std::to_string(shared_.bytes), "i32"});
  if (name == "%clock64" || name == "%clock" || name == "%globaltimer" || name == "%clock_hi" ||
      name == "%globaltimer_lo") {
    ir_.declare("declare i64 @llvm.readcyclecounter()");
    const Value cycles = ir_.call("i64", false, "@llvm.readcyclecounter()");
    return name == "%clock64" || name == "%globaltimer" ? cycles : ir_.convert("trunc", cycles, "i32");
  }
  return {};
}

Value Writer::lane_base(int64_t frame_offset, int64_t lane_bytes) {
  const std::string place = ir_.at("%frame", frame_offset);
  const Value base{ir_.fresh(), "i64"};
  ir_.line(cat(base.name, " = ptrtoint ptr ", place, " to i64"));
  return ir_.binary("add", base,
                    ir_.binary("mul", Ir::iota("i64"), ir_.widen({std::to_string(lane_bytes), "i64"})));
}

Value Writer::variable_address(const std::string& name) {
  const auto as_integer = [&](const std::string& pointer) {
    const Value value{ir_.fresh(), "i64"};
    ir_.line(cat(value.name, " = ptrtoint ptr ", pointer, " to i64"));
    return value;
  };
  if (const auto found = shared_.offsets.find(name); found != shared_.offsets.end()) {
    const std::string base = ir_.load("ptr", warp_field(offsetof(Warp, shared)), 8).name;
    return as_integer(ir_.at(base, found->second));
  }
  if (const auto found = layout_.locals.find(name); found != layout_.locals.end())
    return lane_base(found->second.offset, found->second.lane_bytes);
  if (function_.kernel)
    if (const auto found = layout_.parameters.find(name); found != layout_.parameters.end())
      return as_integer(ir_.at("%arguments", found->second));
  const auto table_entry = [&](size_t table, size_t index) {
    const std::string base = ir_.load("ptr", grid_field(table), 8).name;
    return as_integer(ir_.load("ptr", ir_.at(base, static_cast<int64_t>(8 * index)), 8).name);
  };
  for (size_t k = 0; k < module_.variables.size(); ++k)
    if (module_.variables[k].name == name) return table_entry(offsetof(Grid, variables), k);
  for (size_t k = 0; k < module_.functions.size(); ++k)
    if (module_.functions[k].name == name && module_.functions[k].defined)
      return table_entry(offsetof(Grid, functions), k);
  return {};
}

Value Writer::symbol(const Operand& from, Type type) {
  Value value = from.name.starts_with('%') ? special(from.name) : variable_address(from.name);
  if (value.name.empty()) unknown(cat("with ", from.name));
  if (from.offset) value = sum_of(value, {std::to_string(from.offset), value.type}, false);
  (void)type;
  return value;
}

// ---- leaving ------------------------------------------------------------------------------------

void Writer::leave(Value action) { ir_.line(cat("ret ", action.typed())); }

void Writer::fault_if(const Value& condition, int32_t fault, const Value& lanes_at_fault) {
  const std::string bad = ir_.fresh_label(), good = ir_.fresh_label();
  ir_.line(cat("br ", condition.typed(), ", label %", bad, ", label %", good));
  ir_.label(bad);
  ir_.store({std::to_string(fault), "i32"}, warp_field(offsetof(Warp, fault)), 4);
  ir_.store(lanes_at_fault, warp_field(offsetof(Warp, fault_mask)), 4);
  ir_.store({std::to_string(packed_line(at_->line.file, at_->line.line)), "i32"},
            warp_field(offsetof(Warp, line)), 4);
  leave({std::to_string(action_fault), "i32"});
  ir_.label(good);
}

}  // namespace twin
