// Loads and stores of a warp: whole vectors where its lanes are in order, row by row; else each lane for itself.
#include "engine/writer.h"

namespace twin {

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
      ones.push_back(
          ir_.load(type, ir_.at(ir_.pointer(first), int64_t(k) * bytes_of(type)), bytes_of(type)).name);
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

}  // namespace twin
