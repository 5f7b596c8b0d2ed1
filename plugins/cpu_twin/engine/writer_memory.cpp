// Memory. All spaces are the host's: global memory, a block's shared memory, a lane's own arrays. A warp that reads
// neighbouring words in order reads one vector; else each lane reads for itself.
#include <array>
#include <cstddef>

#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {
namespace {

Value number(int64_t value) { return {std::to_string(value), "i32"}; }

unsigned bytes_of(const std::string& type) {
  return static_cast<unsigned>(std::stoi(type.substr(1))) / 8;
}

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

// ---- loads and stores ---------------------------------------------------------------------------

void Writer::load() {
  const Type type = at_->type();
  const unsigned count = vector_length();
  const std::string kept = cat("i", ptx::bits_of(type));
  const Value from = address(operand(1));
  if (at_->space() != ptx::Space::param)
    check(from, count * ptx::bits_of(type) / 8, access_read, at_->space());
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

/// Whether the active lanes access memory in order, `stride` bytes apart, row by row; `firsts` are the addresses of each
/// row's first lane.
Value Writer::is_contiguous(const Value& address, unsigned stride, std::vector<Value>* firsts) {
  if (!address.firsts.empty() && address.step == static_cast<int64_t>(stride)) {
    for (const std::string& first : address.firsts) firsts->push_back({first, "i64"});
    return {address.valid.empty() ? "true" : address.valid, "i1"};
  }
  const Value first = ir_.binary("and", first_active(), number(31));
  const Value skipped =
      ir_.binary("mul", ir_.convert("zext", first, "i64"), {std::to_string(stride), "i64"});
  firsts->push_back(ir_.binary("sub", ir_.lane(address, first), skipped));
  const Value steps = ir_.binary("mul", Ir::iota("i64"), ir_.widen({std::to_string(stride), "i64"}));
  const Value equal = ir_.compare("icmp eq", address, ir_.binary("add", firsts->front(), steps));
  const Value idle = ir_.binary("xor", mask_wide(), {"true", "i1"});
  return ir_.compare("icmp eq", ir_.mask_bits(ir_.binary("or", equal, idle)), number(-1));
}

/// The lanes of a row that are active.
std::string Writer::mask_of_row(size_t row, size_t of) {
  const Value all = mask_wide();
  if (of == 1) return all.name;
  const size_t width = 32 / of;
  std::string indices;
  for (size_t lane = 0; lane < width; ++lane)
    indices += cat(lane ? ", i32 " : "<i32 ", row * width + lane);
  const std::string name = ir_.fresh();
  ir_.line(cat(name, " = shufflevector ", all.typed(), ", <32 x i1> undef, <", width, " x i32> ",
               indices, ">"));
  return name;
}

/// Parts of equal width, one behind the other.
std::string Writer::joined_rows(std::vector<std::string> parts, const std::string& type, size_t width) {
  while (parts.size() > 1) {
    std::vector<std::string> joined;
    std::string indices;
    for (size_t lane = 0; lane < 2 * width; ++lane) indices += cat(lane ? ", i32 " : "<i32 ", lane);
    for (size_t k = 0; k < parts.size(); k += 2) {
      joined.push_back(ir_.fresh());
      ir_.line(cat(joined.back(), " = shufflevector <", width, " x ", type, "> ", parts[k], ", <",
                   width, " x ", type, "> ", parts[k + 1], ", <", 2 * width, " x i32> ", indices, ">"));
    }
    parts = std::move(joined);
    width *= 2;
  }
  return parts[0];
}

std::vector<Value> Writer::load_contiguous(const std::vector<Value>& firsts, const std::string& type,
                                           unsigned count) {
  const size_t of = firsts.size(), width = 32 / of;
  std::vector<std::string> parts;
  for (size_t row = 0; row < of; ++row) {
    const std::string pointer = ir_.pointer(firsts[row]), name = ir_.fresh();
    if (count == 1) {
      const std::string full = cat("<", width, " x ", type, ">"),
                        callee = cat("@llvm.masked.load.v", width, type, ".p0");
      ir_.declare(cat("declare ", full, " ", callee, "(ptr, i32, <", width, " x i1>, ", full, ")"));
      ir_.line(cat(name, " = call ", full, " ", callee, "(ptr ", pointer, ", i32 ", bytes_of(type),
                   ", <", width, " x i1> ", mask_of_row(row, of), ", ", full, " zeroinitializer)"));
    } else {
      ir_.line(cat(name, " = load <", width * count, " x ", type, ">, ptr ", pointer, ", align ",
                   bytes_of(type)));
    }
    parts.push_back(name);
  }
  const std::string whole = joined_rows(parts, type, width * count);
  if (count == 1) return {{whole, type, true, {}, 0, {}}};
  const unsigned all = 32 * count;
  std::vector<Value> values;
  for (unsigned k = 0; k < count; ++k) {
    std::string indices;
    for (unsigned lane = 0; lane < 32; ++lane)
      indices += cat(lane ? ", i32 " : "<i32 ", lane * count + k);
    Value part{ir_.fresh(), type, true, {}, 0, {}};
    ir_.line(cat(part.name, " = shufflevector <", all, " x ", type, "> ", whole, ", <", all, " x ",
                 type, "> undef, <32 x i32> ", indices, ">"));
    values.push_back(std::move(part));
  }
  return values;
}

/// All lanes of a row read one place.
std::vector<Value> Writer::load_same(const std::vector<Value>& firsts, const std::string& type,
                                     unsigned count) {
  std::vector<Value> values;
  for (unsigned k = 0; k < count; ++k) {
    std::vector<std::string> ones;
    for (const Value& first : firsts)
      ones.push_back(ir_.load(type,
                              ir_.at(ir_.pointer(first), static_cast<int64_t>(k * bytes_of(type))),
                              bytes_of(type))
                         .name);
    Value value = stepping(std::move(ones), 0, type);
    value.firsts.clear();
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<Value> Writer::load_lanes(const Value& address, const std::string& type, unsigned count) {
  const unsigned bytes = bytes_of(type);
  std::vector<Value> values;
  if (!address.wide && at_->guard < 0) {
    for (unsigned k = 0; k < count; ++k)
      values.push_back(
          ir_.load(type, ir_.at(ir_.pointer(address), static_cast<int64_t>(k) * bytes), bytes));
    return values;
  }
  const Value each = ir_.widen(address);
  const Value lanes_on = mask_wide();
  std::vector<Value> firsts;
  // Rows that read one place each; a load that isn't masked needs all lanes.
  const bool same = !address.firsts.empty() && address.step == 0;
  Value together;
  if (same) {
    for (const std::string& first : address.firsts) firsts.push_back({first, "i64"});
    together = {address.valid.empty() ? "true" : address.valid, "i1"};
  } else {
    together = is_contiguous(each, bytes * count, &firsts);
  }
  if (same || count > 1)
    together = ir_.binary("and", together, ir_.compare("icmp eq", ir_.mask_bits(lanes_on), number(-1)));
  const std::string near = ir_.fresh_label(), far = ir_.fresh_label(), done = ir_.fresh_label();
  ir_.line(cat("br ", together.typed(), ", label %", near, ", label %", far));
  ir_.label(near);
  const std::vector<Value> dense =
      same ? load_same(firsts, type, count) : load_contiguous(firsts, type, count);
  ir_.line(cat("br label %", done));
  ir_.label(far);
  std::vector<Value> gathered;
  const std::string full = cat("<32 x ", type, ">"),
                    callee = cat("@llvm.masked.gather.v32", type, ".v32p0");
  ir_.declare(cat("declare ", full, " ", callee, "(<32 x ptr>, i32, <32 x i1>, ", full, ")"));
  for (unsigned k = 0; k < count; ++k) {
    const Value own = k == 0 ? each : ir_.binary("add", each, {std::to_string(k * bytes), "i64"});
    const std::string pointers = ir_.fresh();
    ir_.line(cat(pointers, " = inttoptr ", own.typed(), " to <32 x ptr>"));
    gathered.push_back(ir_.call(type, true,
                                cat(callee, "(<32 x ptr> ", pointers, ", i32 ", bytes, ", ",
                                    lanes_on.typed(), ", ", full, " zeroinitializer)")));
  }
  ir_.line(cat("br label %", done));
  ir_.label(done);
  for (unsigned k = 0; k < count; ++k) {
    Value value{ir_.fresh(), type, true, {}, 0, {}};
    ir_.line(cat(value.name, " = phi ", value.full(), " [ ", dense[k].name, ", %", near, " ], [ ",
                 gathered[k].name, ", %", far, " ]"));
    values.push_back(std::move(value));
  }
  return values;
}

void Writer::store_contiguous(const std::vector<Value>& firsts, const std::vector<Value>& values,
                              const std::string& type) {
  const size_t of = firsts.size(), width = 32 / of;
  if (values.size() == 1) {
    for (size_t row = 0; row < of; ++row) {
      std::string part = values[0].name;
      if (of > 1) {
        std::string indices;
        for (size_t lane = 0; lane < width; ++lane)
          indices += cat(lane ? ", i32 " : "<i32 ", row * width + lane);
        part = ir_.fresh();
        ir_.line(cat(part, " = shufflevector ", values[0].typed(), ", ", values[0].full(), " undef, <",
                     width, " x i32> ", indices, ">"));
      }
      const std::string full = cat("<", width, " x ", type, ">"),
                        callee = cat("@llvm.masked.store.v", width, type, ".p0");
      ir_.declare(cat("declare void ", callee, "(", full, ", ptr, i32, <", width, " x i1>)"));
      const std::string pointer = ir_.pointer(firsts[row]), lanes_on = mask_of_row(row, of);
      ir_.call("void", false,
               cat(callee, "(", full, " ", part, ", ptr ", pointer, ", i32 ", bytes_of(type), ", <",
                   width, " x i1> ", lanes_on, ")"));
    }
    return;
  }
  // Interleave by pairs: (0, 2) and (1, 3) of four, then those.
  std::vector<std::string> parts;
  for (const Value& value : values) parts.push_back(value.name);
  unsigned wide = 32;
  while (parts.size() > 1) {
    const size_t half = parts.size() / 2;
    std::vector<std::string> joined;
    std::string indices;
    for (unsigned lane = 0; lane < wide; ++lane)
      indices += cat(lane ? ", i32 " : "<i32 ", lane, ", i32 ", lane + wide);
    for (size_t k = 0; k < half; ++k) {
      joined.push_back(ir_.fresh());
      ir_.line(cat(joined.back(), " = shufflevector <", wide, " x ", type, "> ", parts[k], ", <", wide,
                   " x ", type, "> ", parts[k + half], ", <", 2 * wide, " x i32> ", indices, ">"));
    }
    parts = std::move(joined);
    wide *= 2;
  }
  const size_t row_width = wide / of;
  for (size_t row = 0; row < of; ++row) {
    std::string part = parts[0];
    if (of > 1) {
      std::string indices;
      for (size_t lane = 0; lane < row_width; ++lane)
        indices += cat(lane ? ", i32 " : "<i32 ", row * row_width + lane);
      part = ir_.fresh();
      ir_.line(cat(part, " = shufflevector <", wide, " x ", type, "> ", parts[0], ", <", wide, " x ",
                   type, "> undef, <", row_width, " x i32> ", indices, ">"));
    }
    ir_.line(cat("store <", row_width, " x ", type, "> ", part, ", ptr ", ir_.pointer(firsts[row]),
                 ", align ", bytes_of(type)));
  }
}

void Writer::store_lanes(const Value& address, std::vector<Value> values, const std::string& type) {
  const unsigned bytes = bytes_of(type);
  const auto count = static_cast<unsigned>(values.size());
  if (!address.wide && at_->guard < 0) {
    // All lanes write one place: the last one's value stays there.
    const Value last = ir_.binary(
        "sub", number(31), ir_.binary("and", ir_.intrinsic("ctlz", {mask()}, "i1 false"), number(31)));
    for (unsigned k = 0; k < count; ++k)
      ir_.store(ir_.lane(values[k], last),
                ir_.at(ir_.pointer(address), static_cast<int64_t>(k) * bytes), bytes);
    return;
  }
  const Value each = ir_.widen(address);
  const Value lanes_on = mask_wide();
  for (Value& value : values) value = ir_.widen(value);
  std::vector<Value> firsts;
  Value together = is_contiguous(each, bytes * count, &firsts);
  if (count > 1)
    together = ir_.binary("and", together, ir_.compare("icmp eq", ir_.mask_bits(lanes_on), number(-1)));
  const std::string near = ir_.fresh_label(), far = ir_.fresh_label(), done = ir_.fresh_label();
  ir_.line(cat("br ", together.typed(), ", label %", near, ", label %", far));
  ir_.label(near);
  store_contiguous(firsts, values, type);
  ir_.line(cat("br label %", done));
  ir_.label(far);
  const std::string callee = cat("@llvm.masked.scatter.v32", type, ".v32p0");
  ir_.declare(cat("declare void ", callee, "(<32 x ", type, ">, <32 x ptr>, i32, <32 x i1>)"));
  for (unsigned k = 0; k < count; ++k) {
    const Value own = k == 0 ? each : ir_.binary("add", each, {std::to_string(k * bytes), "i64"});
    const std::string pointers = ir_.fresh();
    ir_.line(cat(pointers, " = inttoptr ", own.typed(), " to <32 x ptr>"));
    ir_.call("void", false,
             cat(callee, "(", values[k].typed(), ", <32 x ptr> ", pointers, ", i32 ", bytes, ", ",
                 lanes_on.typed(), ")"));
  }
  ir_.line(cat("br label %", done));
  ir_.label(done);
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

// ---- parameters of functions and calls ----------------------------------------------------------

/// Where a piece of a parameter stands: 32 lanes for each byte of one.
std::string Writer::piece(const std::string& name, int64_t offset) {
  const auto place = [&](std::string_view base, int64_t at) { return ir_.at(base, at); };
  if (const auto found = layout_.arguments.find(name); found != layout_.arguments.end())
    return place("%frame", found->second + lanes * offset);
  if (const auto found = layout_.parameters.find(name); found != layout_.parameters.end())
    return place("%arguments", lanes * (found->second + offset));
  if (const auto found = layout_.results.find(name); found != layout_.results.end()) {
    const std::string base = ir_.load("ptr", ir_.at("%frame", offsetof(Frame, results)), 8).name;
    return place(base, lanes * (found->second + offset));
  }
  return {};
}

void Writer::load_parameter() {
  const Type type = at_->type();
  const unsigned count = vector_length(), bytes = ptx::bits_of(type) / 8;
  const Operand& from = operand(1);
  for (unsigned k = 0; k < count; ++k) {
    const int64_t offset = from.offset + k * bytes;
    const Operand& to = count == 1 ? operand(0) : operand(0).items.at(k);
    if (const auto found = passed_.find(cat(from.name, "+", offset)); found != passed_.end()) {
      set(to, found->second, type);
      continue;
    }
    const std::string place = piece(from.name, offset);
    if (place.empty()) unknown(cat("with ", from.name));
    set(to, ir_.load(cat("<32 x i", ptx::bits_of(type), ">"), place, 8), type);
  }
}

void Writer::store_parameter() {
  const Type type = at_->type();
  const unsigned count = vector_length(), bytes = ptx::bits_of(type) / 8;
  const Operand& to = operand(0);
  for (unsigned k = 0; k < count; ++k) {
    const int64_t offset = to.offset + k * bytes;
    const Value value = ir_.bits(get(count == 1 ? operand(1) : operand(1).items.at(k), type),
                                 cat("i", ptx::bits_of(type)));
    const std::string place = piece(to.name, offset);
    if (place.empty()) {  // of a call without a frame
      passed_[cat(to.name, "+", offset)] = value;
      continue;
    }
    // Lanes that aren't here have results of their own.
    const Value old = ir_.load(cat("<32 x ", value.type, ">"), place, 8);
    ir_.store(ir_.select(mask_wide(), value, old), place, 8);
  }
}

// ---- atomics ------------------------------------------------------------------------------------

/// body(lane's number) once for each lane, from the lowest on.
void Writer::for_each_lane(const Value& lanes_on, const std::function<void(const Value& lane)>& body) {
  const std::string before = ir_.fresh_label(), loop = ir_.fresh_label(), again = ir_.fresh_label(),
                    done = ir_.fresh_label();
  ir_.line(cat("br label %", before));
  ir_.label(before);
  ir_.line(cat("br ", ir_.compare("icmp eq", lanes_on, number(0)).typed(), ", label %", done,
               ", label %", loop));
  ir_.label(loop);
  const Value left{ir_.fresh(), "i32"}, rest{ir_.fresh(), "i32"};
  ir_.line(cat(left.name, " = phi i32 [ ", lanes_on.name, ", %", before, " ], [ ", rest.name, ", %",
               again, " ]"));
  body(ir_.intrinsic("cttz", {left}, "i1 true"));
  ir_.line(cat("br label %", again));
  ir_.label(again);
  ir_.line(cat(rest.name, " = and i32 ", left.name, ", ", ir_.binary("sub", left, number(1)).name));
  ir_.line(cat("br ", ir_.compare("icmp eq", rest, number(0)).typed(), ", label %", done, ", label %",
               loop));
  ir_.label(done);
}

/// What was there before.
Value Writer::one_atomic(const std::string& op, const Value& address, const std::vector<Value>& values,
                         Type type) {
  const std::string pointer = ir_.pointer(address);
  const std::string kept = cat("i", ptx::bits_of(type));
  const Value operand_bits = ir_.bits(values[0], kept);
  const auto swap = [&](const Value& expected, const Value& wanted) {
    const std::string pair = ir_.fresh();
    ir_.line(cat(pair, " = cmpxchg ptr ", pointer, ", ", expected.typed(), ", ", wanted.typed(),
                 " seq_cst seq_cst"));
    return pair;
  };
  if (op == "cas") {
    const std::string pair = swap(operand_bits, ir_.bits(values[1], kept));
    const Value old{ir_.fresh(), kept};
    ir_.line(cat(old.name, " = extractvalue { ", kept, ", i1 } ", pair, ", 0"));
    return old;
  }
  static const std::unordered_map<std::string, std::array<const char*, 3>> names = {
      // signed, unsigned, float
      {"add", {"add", "add", nullptr}},   {"and", {"and", "and", nullptr}},
      {"or", {"or", "or", nullptr}},      {"xor", {"xor", "xor", nullptr}},
      {"exch", {"xchg", "xchg", "xchg"}}, {"min", {"min", "umin", nullptr}},
      {"max", {"max", "umax", nullptr}}};
  const auto found = names.find(op);
  const size_t kind = ptx::is_float(type) || type == Type::f16x2 ? 2 : ptx::is_signed(type) ? 0 : 1;
  if (found != names.end() && found->second[kind]) {
    const Value old{ir_.fresh(), kept};
    ir_.line(cat(old.name, " = atomicrmw ", found->second[kind], " ptr ", pointer, ", ",
                 operand_bits.typed(), " seq_cst"));
    return old;
  }
  // inc, dec and floats: a loop around compare and swap.
  const std::string before = ir_.fresh_label(), loop = ir_.fresh_label(), done = ir_.fresh_label();
  const Value first = ir_.load(kept, pointer, ptx::bits_of(type) / 8);
  ir_.line(cat("br label %", before));
  ir_.label(before);
  ir_.line(cat("br label %", loop));
  ir_.label(loop);
  const Value old{ir_.fresh(), kept}, seen{ir_.fresh(), kept};
  ir_.line(cat(old.name, " = phi ", kept, " [ ", first.name, ", %", before, " ], [ ", seen.name, ", %",
               loop, " ]"));
  Value wanted;
  if (op == "inc") {
    const Value over = ir_.compare("icmp uge", old, operand_bits);
    wanted = ir_.select(over, {"0", kept}, ir_.binary("add", old, {"1", kept}));
  } else if (op == "dec") {
    const Value under = ir_.binary("or", ir_.compare("icmp eq", old, {"0", kept}),
                                   ir_.compare("icmp ugt", old, operand_bits));
    wanted = ir_.select(under, operand_bits, ir_.binary("sub", old, {"1", kept}));
  } else if (op == "add" && type == Type::f16x2) {
    Value both{"0", "i32"};
    for (int half = 0; half < 2; ++half) {
      const Value by{std::to_string(16 * half), "i32"};
      const auto part = [&](const Value& word) {
        return ir_.bits(ir_.convert("trunc", ir_.binary("lshr", word, by), "i16"), "half");
      };
      const Value sum = ir_.convert(
          "zext", ir_.bits(ir_.binary("fadd", part(old), part(operand_bits)), "i16"), "i32");
      both = ir_.binary("or", both, ir_.binary("shl", sum, by));
    }
    wanted = both;
  } else if (op == "add" && ptx::is_float(type) && type != Type::bf16) {
    wanted =
        ir_.bits(ir_.binary("fadd", ir_.bits(old, of(type)), ir_.bits(operand_bits, of(type))), kept);
  } else {
    unknown();
  }
  const std::string pair = swap(old, wanted);
  ir_.line(cat(seen.name, " = extractvalue { ", kept, ", i1 } ", pair, ", 0"));
  const Value won{ir_.fresh(), "i1"};
  ir_.line(cat(won.name, " = extractvalue { ", kept, ", i1 } ", pair, ", 1"));
  ir_.line(cat("br ", won.typed(), ", label %", done, ", label %", loop));
  ir_.label(done);
  return old;
}

/// One lane after another, from the lowest on.
void Writer::atomic() {
  const Type type = at_->type();
  const bool gives = at_->opcode == "atom";
  std::string op;
  for (const char* name : {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"})
    if (at_->has(name)) op = name;
  const Operand& place = operand(gives ? 1 : 0);
  const Value to = ir_.widen(address(place));
  check(to, ptx::bits_of(type) / 8, access_atomic, at_->space());
  std::vector<Value> values;
  for (size_t k = gives ? 2 : 1; k < at_->operands.size(); ++k)
    values.push_back(ir_.widen(get(k, type)));
  if (values.empty()) unknown();
  const std::string results = scratch(0);
  for_each_lane(active(), [&](const Value& lane) {
    std::vector<Value> own;
    for (const Value& value : values) own.push_back(ir_.lane(value, lane));
    const Value old = one_atomic(op, ir_.lane(to, lane), own, type);
    if (!gives) return;
    const std::string slot = ir_.fresh();
    ir_.line(cat(slot, " = getelementptr ", old.type, ", ptr ", results, ", ", lane.typed()));
    ir_.store(old, slot, ptx::bits_of(type) / 8);
  });
  if (gives) set(ir_.load(cat("<32 x i", ptx::bits_of(type), ">"), results, 8), type);
}

}  // namespace twin
