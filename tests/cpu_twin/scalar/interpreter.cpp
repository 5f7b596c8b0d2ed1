#include "scalar/interpreter.h"

#include <algorithm>
#include <cstring>

#include "scalar/lanes.h"

namespace scalar {

using twin::ptx::bits_of;
using twin::ptx::Function;
using twin::ptx::Instruction;
using twin::ptx::Operand;
using twin::ptx::Space;
using twin::ptx::Type;
using twin::ptx::Variable;

Interpreter::Interpreter(twin::LoadedModule& module, const std::string& kernel, Wrong wrong)
    : module_(module), kernel_(*module.text().function(module.kernel(kernel)->name)), wrong_(wrong) {
  for (const Function& function : module.text().functions)
    for (const twin::ptx::Label& label : function.labels) labels_[function.name][label.name] = label.at;
}

void Interpreter::run(twin::Dim grid, twin::Dim block, const std::vector<uint64_t>& parameters) {
  grid_ = grid, block_ = block;
  for (size_t k = 0; k < kernel_.parameters.size(); ++k) {
    const auto bytes = fresh(kernel_.parameters[k].bytes);
    std::memcpy(bytes->data(), &parameters.at(k), 8);
    parameters_[kernel_.parameters[k].name] = bytes;
  }
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x) run_block({x, y, z}, block);
}

void Interpreter::run_block(twin::Dim ctaid, twin::Dim block) {
  ctaid_ = ctaid;
  shared_.clear();
  for (const Variable& variable : module_.text().variables)
    if (variable.space == Space::shared) shared_[variable.name] = fresh(variable.bytes);
  for (const Function& function : module_.text().functions)
    for (const Variable& local : function.locals)
      if (local.space == Space::shared) shared_[local.name] = fresh(local.bytes);
  std::vector<Thread> threads(block.count());
  for (size_t t = 0; t < threads.size(); ++t) {
    threads[t].tid = {static_cast<uint32_t>(t % block.x), static_cast<uint32_t>(t / block.x % block.y),
                      static_cast<uint32_t>(t / block.x / block.y)};
    threads[t].lane = t % 32;
    threads[t].calls.push_back({&kernel_, 0, std::vector<uint64_t>(kernel_.registers.size()), {}});
    give_locals(threads[t].calls[0]);
  }
  for (;;) {
    for (Thread& thread : threads) run_until_it_waits(thread);
    bool moved = false;
    for (size_t w = 0; w < threads.size(); w += 32)
      moved = let_warp_go(&threads[w], std::min<size_t>(32, threads.size() - w)) || moved;
    if (moved) continue;
    size_t at_barrier = 0, over = 0;
    for (const Thread& thread : threads)
      at_barrier += thread.waits == Waits::barrier, over += thread.waits == Waits::over;
    if (over == threads.size()) return;
    if (at_barrier + over != threads.size()) throw Unknown("threads wait for each other for ever");
    for (Thread& thread : threads)
      if (thread.waits == Waits::barrier) thread.waits = Waits::no;
  }
}

/// What a call has of its own; shared memory isn't that, wherever it is declared.
void Interpreter::give_locals(Frame& frame) const {
  for (const Variable& local : frame.function->locals)
    if (local.space != Space::shared) frame.memory[local.name] = fresh(local.bytes);
}

void Interpreter::run_until_it_waits(Thread& thread) {
  while (thread.waits == Waits::no) step(thread);
}

/// The lanes that wait at one shuffle or vote, if all that its mask names are there.
bool Interpreter::let_warp_go(Thread* threads, size_t count) {
  for (size_t first = 0; first < count; ++first) {
    if (threads[first].waits != Waits::shuffle && threads[first].waits != Waits::vote) continue;
    const Instruction& i = instruction(threads[first]);
    const bool shuffle = threads[first].waits == Waits::shuffle;
    const auto members = static_cast<uint32_t>(
        get(threads[first].calls.back(), i.operands.at(shuffle ? 4 : 2), Type::u32, threads[first]));
    bool all = true;
    for (size_t k = 0; k < count; ++k)
      if (members >> k & 1 && threads[k].waits != Waits::over)
        all = all && threads[k].waits == threads[first].waits && &instruction(threads[k]) == &i;
    if (!all) continue;
    uint64_t values[32] = {};
    uint32_t votes = 0;
    for (size_t k = 0; k < count; ++k) {
      if (!(members >> k & 1) || threads[k].waits == Waits::over) continue;
      values[k] =
          get(threads[k].calls.back(), i.operands.at(1), shuffle ? Type::u32 : Type::pred, threads[k]);
      votes |= static_cast<uint32_t>(values[k] & 1) << k;
    }
    for (size_t k = 0; k < count; ++k) {
      if (!(members >> k & 1) || threads[k].waits == Waits::over) continue;
      Frame& frame = threads[k].calls.back();
      const Operand& to = i.operands[0];
      if (shuffle) {
        bool valid = false;
        int from = shuffle_source(
            i.has("up")     ? "up"
            : i.has("down") ? "down"
            : i.has("bfly") ? "bfly"
                            : "idx",
            static_cast<int>(k),
            static_cast<uint32_t>(get(frame, i.operands[2], Type::u32, threads[k])),
            static_cast<uint32_t>(get(frame, i.operands[3], Type::u32, threads[k])), &valid);
        if (wrong_ == Wrong::shuffle_from_neighbour) from = (from + 1) % static_cast<int>(count);
        set(frame, to.kind == Operand::Kind::pair ? to.items[0] : to, values[from]);
        if (to.kind == Operand::Kind::pair) set(frame, to.items[1], valid);
      } else if (i.has("ballot")) {
        set(frame, to, votes);
      } else {
        set(frame, to,
            i.has("all")   ? votes == members
            : i.has("any") ? votes != 0
                           : votes == 0 || votes == members);
      }
      ++frame.at;
      threads[k].waits = Waits::no;
    }
    return true;
  }
  return false;
}

const Instruction& Interpreter::instruction(const Thread& thread) const {
  return thread.calls.back().function->code.at(thread.calls.back().at);
}

void Interpreter::step(Thread& thread) {
  if (++steps_ > 5'000'000) throw Unknown("it doesn't end");
  Frame& frame = thread.calls.back();
  if (frame.at >= frame.function->code.size()) return leave(thread);
  const Instruction& i = frame.function->code[frame.at];
  const bool guarded_off =
      i.guard >= 0 && ((frame.registers[static_cast<size_t>(i.guard)] & 1) == 0) != i.guard_negated;
  if (guarded_off) return (void)++frame.at;
  const std::string& op = i.opcode;
  if (op == "bra") {
    if (wrong_ == Wrong::branch_inverted_once && i.guard >= 0 && !inverted_)
      return inverted_ = true, (void)++frame.at;
    return jump(frame, i.operands.at(0).name);
  }
  if (op == "brx") {
    for (const twin::ptx::Table& table : frame.function->tables)
      if (table.name == i.operands.at(1).name)
        return jump(frame, table.labels.at(get(frame, i.operands[0], Type::u32, thread)));
    throw Unknown("no table " + i.operands[1].name);
  }
  if (op == "ret" || op == "exit") return leave(thread);
  if (op == "call") return call(thread, i);
  if (op == "shfl") return (void)(thread.waits = Waits::shuffle);
  if (op == "vote") return (void)(thread.waits = Waits::vote);
  ++frame.at;
  if ((op == "bar" || op == "barrier") && i.has("sync"))
    return (void)(thread.waits = i.has("warp") ? Waits::no : Waits::barrier);
  if (op == "ld") return load(frame, i, thread);
  if (op == "st") return store(frame, i, thread);
  if (op == "atom" || op == "red") return change(frame, i, thread);
  Values in, out;
  for (size_t k = 1; k < i.operands.size(); ++k)
    in.push_back(get(frame, i.operands[k],
                     i.operands[k].kind == Operand::Kind::list ? i.type() : Type::u64, thread));
  if (!evaluate(i, in, &out))
    throw Unknown("the interpreter doesn't know " + op + " with " +
                  (i.modifiers.empty() ? "" : i.modifiers.back()));
  const Operand& to = i.operands.at(0);
  if (to.kind == Operand::Kind::pair) {
    set(frame, to.items[0], out[0]);
    set(frame, to.items[1], out.at(1));
  } else if (to.kind == Operand::Kind::list) {
    const unsigned part = bits_of(i.type()) / static_cast<unsigned>(to.items.size());
    for (size_t k = 0; k < to.items.size(); ++k)
      set(frame, to.items[k], cut(out[0] >> (part * k), part));
  } else {
    const Type type = op == "cvt" ? i.type(1) : i.type();
    set(frame, to, out[0], twin::ptx::is_signed(type), bits_of(type));
  }
}

void Interpreter::jump(Frame& frame, const std::string& label) {
  frame.at = labels_.at(frame.function->name).at(label);
}

void Interpreter::leave(Thread& thread) {
  const bool for_good =
      thread.calls.size() == 1 || (thread.calls.back().at < thread.calls.back().function->code.size() &&
                                   instruction(thread).opcode == "exit");
  if (for_good) return (void)(thread.waits = Waits::over);
  const Frame done = std::move(thread.calls.back());
  thread.calls.pop_back();
  Frame& frame = thread.calls.back();
  const Instruction& i = frame.function->code[frame.at];
  if (!done.function->results.empty() && i.operands[0].kind == Operand::Kind::list) {
    const Bytes& from = *done.memory.at(done.function->results[0].name);
    Bytes& to = *frame.memory.at(i.operands[0].items.at(0).name);
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
  }
  ++frame.at;
}

void Interpreter::call(Thread& thread, const Instruction& i) {
  Frame& frame = thread.calls.back();
  const Operand *callee = nullptr, *arguments = nullptr;
  for (const Operand& operand : i.operands) {
    if (operand.kind == Operand::Kind::list)
      arguments = callee ? &operand : arguments;
    else if (!callee)
      callee = &operand;
  }
  const Function* function = nullptr;
  if (callee->reg < 0) {
    function = module_.text().function(callee->name);
  } else {
    const uint64_t handle = frame.registers[static_cast<size_t>(callee->reg)];
    for (size_t f = 0; f < module_.text().functions.size(); ++f)
      if (handle == reinterpret_cast<uint64_t>(module_.handles()[f]))
        function = &module_.text().functions[f];
  }
  if (!function || !function->defined) throw Unknown("a call of " + callee->name);
  Frame inner{function, 0, std::vector<uint64_t>(function->registers.size()), {}};
  give_locals(inner);
  for (const Variable& result : function->results) inner.memory[result.name] = fresh(result.bytes);
  for (size_t k = 0; k < function->parameters.size(); ++k)
    inner.memory[function->parameters[k].name] =
        std::make_shared<Bytes>(*frame.memory.at(arguments->items.at(k).name));
  if (thread.calls.size() > 1000) throw Unknown("calls nested too deep");
  thread.calls.push_back(std::move(inner));
}

// ---- operands and memory

uint64_t Interpreter::symbol(const Frame& frame, const std::string& name, const Thread& thread) {
  const auto axis = [&](const twin::Dim& dim) {
    return name.back() == 'x' ? dim.x : name.back() == 'y' ? dim.y : dim.z;
  };
  if (name.rfind("%tid.", 0) == 0) return axis(thread.tid);
  if (name.rfind("%ntid.", 0) == 0) return axis(block_);
  if (name.rfind("%ctaid.", 0) == 0) return axis(ctaid_);
  if (name.rfind("%nctaid.", 0) == 0) return axis(grid_);
  if (name == "%laneid") return thread.lane;
  if (name == "%lanemask_lt") return (1U << thread.lane) - 1;
  if (const auto found = frame.memory.find(name); found != frame.memory.end())
    return reinterpret_cast<uint64_t>(found->second->data());
  if (const auto found = shared_.find(name); found != shared_.end())
    return reinterpret_cast<uint64_t>(found->second->data());
  if (const auto found = parameters_.find(name); found != parameters_.end())
    return reinterpret_cast<uint64_t>(found->second->data());
  if (void* variable = module_.variable(name, nullptr)) return reinterpret_cast<uint64_t>(variable);
  for (size_t f = 0; f < module_.text().functions.size(); ++f)
    if (module_.text().functions[f].name == name && module_.text().functions[f].defined)
      return reinterpret_cast<uint64_t>(module_.handles()[f]);
  throw Unknown("the interpreter doesn't know " + name);
}

uint64_t Interpreter::get(const Frame& frame, const Operand& operand, Type type, const Thread& thread) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      const uint64_t value = frame.registers[static_cast<size_t>(operand.reg)];
      return operand.negated ? ~value & 1 : value;
    }
    case Operand::Kind::integer:
    case Operand::Kind::real: return operand.bits;
    case Operand::Kind::symbol:
      return symbol(frame, operand.name, thread) + static_cast<uint64_t>(operand.offset);
    case Operand::Kind::list: {
      const unsigned part = bits_of(type) / static_cast<unsigned>(operand.items.size());
      uint64_t value = 0;
      for (size_t k = 0; k < operand.items.size(); ++k)
        value |= cut(get(frame, operand.items[k], Type::u64, thread), part) << (part * k);
      return value;
    }
    default: throw Unknown("an operand of another kind");
  }
}

void Interpreter::set(Frame& frame, const Operand& operand, uint64_t value, bool sign, unsigned bits) {
  if (operand.kind == Operand::Kind::sink) return;
  const unsigned kept = bits_of(frame.function->registers[static_cast<size_t>(operand.reg)].type);
  if (sign && kept > bits) value = static_cast<uint64_t>(with_sign(value, bits));
  frame.registers[static_cast<size_t>(operand.reg)] = cut(value, kept);
}

uint64_t Interpreter::address(const Frame& frame, const Operand& operand, const Thread& thread) {
  const uint64_t base = operand.reg >= 0 ? frame.registers[static_cast<size_t>(operand.reg)]
                                         : symbol(frame, operand.name, thread);
  return base + static_cast<uint64_t>(operand.offset);
}

void Interpreter::load(Frame& frame, const Instruction& i, const Thread& thread) {
  const Type type = i.type();
  const unsigned bytes = bits_of(type) / 8;
  const auto* from = reinterpret_cast<const uint8_t*>(address(frame, i.operands.at(1), thread));
  const auto one = [&](const Operand& to, size_t k) {
    uint64_t value = 0;
    std::memcpy(&value, from + k * bytes, bytes);
    set(frame, to, value, twin::ptx::is_signed(type), 8 * bytes);
  };
  const Operand& to = i.operands[0];
  if (to.kind != Operand::Kind::list) return one(to, 0);
  for (size_t k = 0; k < to.items.size(); ++k) one(to.items[k], k);
}

void Interpreter::store(Frame& frame, const Instruction& i, const Thread& thread) {
  const unsigned bytes = bits_of(i.type()) / 8;
  auto* to = reinterpret_cast<uint8_t*>(address(frame, i.operands.at(0), thread));
  const auto one = [&](const Operand& from, size_t k) {
    const uint64_t value = get(frame, from, Type::u64, thread);
    std::memcpy(to + k * bytes, &value, bytes);
  };
  const Operand& from = i.operands[1];
  if (from.kind != Operand::Kind::list) return one(from, 0);
  for (size_t k = 0; k < from.items.size(); ++k) one(from.items[k], k);
}

/// Atomic additions of integers: all that the generator asks for.
void Interpreter::change(Frame& frame, const Instruction& i, const Thread& thread) {
  const bool gives = i.opcode == "atom";
  if (!i.has("add") || twin::ptx::is_float(i.type()))
    throw Unknown("another atomic than an integer's add");
  const unsigned bytes = bits_of(i.type()) / 8;
  auto* place = reinterpret_cast<uint8_t*>(address(frame, i.operands.at(gives ? 1 : 0), thread));
  uint64_t old = 0;
  std::memcpy(&old, place, bytes);
  const uint64_t sum = old + get(frame, i.operands.at(gives ? 2 : 1), Type::u64, thread);
  std::memcpy(place, &sum, bytes);
  if (gives) set(frame, i.operands[0], old);
}

}  // namespace scalar
