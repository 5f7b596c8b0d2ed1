// Parameters of functions, and arguments and results of calls.
#include <cstddef>

#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {

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

}  // namespace twin
