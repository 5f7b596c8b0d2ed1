// A function from its beginning to its end: blocks, the mask of their lanes, and the ways out.
#include <cstddef>

#include "engine/writer.h"
#include "runtime/warp.h"

namespace twin {

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
