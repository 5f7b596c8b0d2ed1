// Runs a kernel's PTX one thread at a time, from one meeting of threads to the next: no masks, no reconvergence, no
// vectors. What the engine makes of the same text must give the same bits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/module.h"
#include "scalar/evaluate.h"

namespace scalar {

/// What the interpreter doesn't know or a thread must not do.
struct Unknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One rule that is wrong on purpose, for the control.
enum class Wrong { none, branch_inverted_once, shuffle_from_neighbour };

class Interpreter {
 public:
  Interpreter(twin::LoadedModule& module, const std::string& kernel, Wrong wrong = Wrong::none);

  /// All blocks of a grid, with the values of the parameters.
  void run(twin::Dim grid, twin::Dim block, const std::vector<uint64_t>& parameters);
  uint64_t steps() const { return steps_; }

 private:
  using Bytes = std::vector<uint8_t>;
  struct Frame {
    const twin::ptx::Function* function;
    size_t at = 0;
    std::vector<uint64_t> registers;
    std::map<std::string, std::shared_ptr<Bytes>> memory;  // .local, and .param of calls and of itself
  };
  enum class Waits { no, barrier, shuffle, vote, over };
  struct Thread {
    twin::Dim tid;
    uint32_t lane = 0;
    std::vector<Frame> calls;
    Waits waits = Waits::no;
  };

  void run_block(twin::Dim ctaid, twin::Dim block);
  void give_locals(Frame& frame) const;
  void run_until_it_waits(Thread& thread);
  bool let_warp_go(Thread* threads, size_t count);
  void step(Thread& thread);
  void call(Thread& thread, const twin::ptx::Instruction& i);
  void leave(Thread& thread);
  void load(Frame& frame, const twin::ptx::Instruction& i, const Thread& thread);
  void store(Frame& frame, const twin::ptx::Instruction& i, const Thread& thread);
  void change(Frame& frame, const twin::ptx::Instruction& i, const Thread& thread);
  void jump(Frame& frame, const std::string& label);
  uint64_t get(const Frame& frame, const twin::ptx::Operand& operand, twin::ptx::Type type,
               const Thread& thread);
  void set(Frame& frame, const twin::ptx::Operand& operand, uint64_t value, bool sign = false,
           unsigned bits = 64);
  uint64_t address(const Frame& frame, const twin::ptx::Operand& operand, const Thread& thread);
  uint64_t symbol(const Frame& frame, const std::string& name, const Thread& thread);
  const twin::ptx::Instruction& instruction(const Thread& thread) const;
  std::shared_ptr<Bytes> fresh(uint64_t bytes) const { return std::make_shared<Bytes>(bytes + 64); }

  twin::LoadedModule& module_;
  const twin::ptx::Function& kernel_;
  Wrong wrong_;
  twin::Dim grid_, block_, ctaid_;
  std::map<std::string, std::shared_ptr<Bytes>> parameters_, shared_;
  std::map<std::string, std::map<std::string, size_t>> labels_;  // of each function
  uint64_t steps_ = 0;
  bool inverted_ = false;
};

}  // namespace scalar
