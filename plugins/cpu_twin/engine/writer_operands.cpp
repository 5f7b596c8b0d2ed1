// Operands: registers, numbers, special registers and addresses of variables, in the type that an instruction wants.
#include <bit>
#include <cstddef>
#include <utility>

#include "engine/writer.h"
#include "error.h"
#include "runtime/warp.h"

namespace twin {

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
    case Operand::Kind::symbol: value = symbol(from); break;
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
  const bool of_cycles = name.starts_with("%clock"), of_time = name.starts_with("%globaltimer");
  if (of_cycles || of_time) {
    if (of_cycles) ir_.declare("declare i64 @llvm.readcyclecounter()");
    const std::string clock = of_time ? service(offsetof(Services, nanoseconds)).name : "";
    Value now =
        ir_.call("i64", false, of_time ? cat(clock, "()") : std::string("@llvm.readcyclecounter()"));
    if (name == "%clock64" || name == "%globaltimer") return now;
    if (name.ends_with("_hi")) now = ir_.binary("lshr", now, {"32", "i64"});
    return ir_.convert("trunc", now, "i32");
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

Value Writer::symbol(const Operand& from) {
  Value value = from.name.starts_with('%') ? special(from.name) : variable_address(from.name);
  if (value.name.empty()) unknown(cat("with ", from.name));
  if (from.offset) value = sum_of(value, {std::to_string(from.offset), value.type}, false);
  return value;
}

}  // namespace twin
