// Writes the LLVM IR of one function: every PTX register is a value of all 32 lanes of a warp, or one value where
// the lanes agree. The pieces stand in writer_*.cpp by the kind of instruction.
#pragma once

#include <functional>
#include <unordered_map>

#include "engine/divergence.h"
#include "engine/engine.h"
#include "engine/flow.h"
#include "engine/ir.h"
#include "engine/liveness.h"

namespace twin {

/// Where things stand in the memory of a frame, a block's shared memory and the launch's parameters.
struct Layout {
  std::vector<int64_t> registers;  // offset in the frame, -1 for what stays inside a block
  std::unordered_map<std::string, int64_t> parameters;  // of this function: bytes of one lane
  std::unordered_map<std::string, int64_t> results;
  std::unordered_map<std::string, int64_t> arguments;  // .param of calls: offset in the frame
  struct Local {
    int64_t offset;
    int64_t lane_bytes;
  };
  std::unordered_map<std::string, Local> locals;
  int64_t paths = 0;  // the stack of open paths
  int64_t frame_bytes = 0;
  uint32_t results_bytes = 0;
};

/// The integer type of a register.
inline std::string register_type(ptx::Type type) { return cat("i", ptx::bits_of(type)); }

class Writer {
 public:
  Writer(const ptx::Module& module, const ptx::Function& function, const SharedLayout& shared,
         const Options& options);

  /// The definition, without declarations.
  std::string write(std::string_view symbol);
  const std::string& declarations() const { return ir_.declarations(); }
  uint32_t frame_bytes() const { return static_cast<uint32_t>(layout_.frame_bytes); }
  uint32_t results_bytes() const { return layout_.results_bytes; }

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;
  using Type = ptx::Type;

  // ---- writer.cpp, writer_frame.cpp, writer_operands.cpp
  void lay_out();
  void entry();
  void block(size_t index);
  void flush(size_t index);
  Value load_register(int reg);
  void store_register(int reg, const Value& value);
  Value read(int reg);
  void write(int reg, Value value);
  Value guard();  // the lanes that execute the instruction at hand, as an i1
  Value get(const Operand& operand, Type type);
  Value get(size_t index, Type type) { return get(operand(index), type); }
  Value get_predicate(const Operand& operand);
  void set(const Operand& operand, Value value, Type type);
  void set(Value value, Type type) {
    if (half_ >= 0)
      half_result_ = std::move(value);
    else
      set(operand(0), std::move(value), type);
  }
  const Operand& operand(size_t index) const;
  Value symbol(const Operand& operand);
  Value special(const std::string& name);
  Value variable_address(const std::string& name);
  Value lane_base(int64_t frame_offset, int64_t lane_bytes);
  Value mask();       // of the block, an i32
  Value mask_wide();  // <32 x i1>, guard included
  Value active();     // the i32 with the guard
  Value first_active();
  Value uniform(const Value& value);  // what the first active lane has
  std::string warp_field(size_t offset);
  std::string grid_field(size_t offset);
  Value service(size_t offset);
  static std::string of(Type type);  // as LLVM calls it
  [[noreturn]] void unknown(std::string_view why = {}) const;
  void leave(Value action);
  void fault_if(const Value& condition, int32_t fault, const Value& lanes);
  void instruction();

  // ---- writer_steps.cpp: values that are known by few numbers
  Value stepping(std::vector<std::string> firsts, int64_t step, std::string_view type,
                 std::string valid = {});
  Value with_steps(Value value, const std::function<std::string(size_t row)>& first, int64_t step,
                   const std::string& valid);
  Value sum_of(const Value& a, const Value& b, bool subtract);
  Value product_of(const Value& a, const Value& b, const Operand& by);
  Value shifted_by(Value result, const Value& a, uint64_t bits);
  Value extended(const Value& a, bool with_sign, const std::string& type);
  bool is_known(const Value& value) const { return !value.wide || !value.firsts.empty(); }
  std::string first_of(const Value& value, size_t row) const {
    return value.wide ? value.firsts[row] : value.name;
  }
  std::string both_valid(const Value& a, const Value& b);
  size_t rows() const { return options_.shape.rows; }

  // ---- writer_flow.cpp
  void ending(size_t index);
  void go(size_t from, int to);
  void arrive(int to);
  void part(size_t index, const Value& taken);
  void part_table(size_t index);
  void push(const Value& next, const Value& join, const Value& mask);
  void open(int join);
  int met(int join) const { return join == flow_.exit() ? -1 : join; }  // the exit is met at -1
  void pop_and_dispatch();
  void leave_function(size_t index);
  void save(const Value& next);
  void barrier(size_t index);
  void real_call(size_t index);
  void resume(size_t index);
  void redispatch(size_t index);
  bool needs_resume(const Block& block) const;
  int resume_number(size_t index) const { return static_cast<int>(flow_.blocks.size() + index); }

  // ---- writer_arithmetic.cpp
  bool arithmetic();
  void add_or_subtract();
  void multiply(bool add);
  void multiply_alone();
  void each_half(void (Writer::*body)());
  void divide(bool remainder);
  void minimum_or_maximum();
  void negate_or_abs();
  void fused_multiply();
  void approximation();
  void carry();
  void dot();
  Value flush_denormals(const Value& value);
  Value finish(Value value, Type type);
  Value operand_float(size_t index, Type type);
  void want_nearest(Type type) const;
  Value upper_of_48(const Value& a, const Value& b, Type type);
  Value high_half(const Value& a, const Value& b, Type type);

  // ---- writer_bits.cpp
  bool bit_operation();
  void logic(std::string_view op);
  void shift();
  void funnel_shift();
  void extract_field();
  void insert_field();
  void find_bit();
  void permute_bytes();
  void logic3();

  // ---- writer_convert.cpp
  bool conversion();
  void move();
  void compare();
  void select_value();
  void convert();
  Value to_float(const Value& value, Type from);  // as f32 or f64 for arithmetic
  Value from_float(const Value& value, Type to);
  Value round_to_integral(const Value& value);
  Value compared(const Value& a, const Value& b, Type type, const std::string& how);
  static Value bfloat_to_float(Ir& ir, const Value& bits);
  static Value float_to_bfloat(Ir& ir, const Value& value);

  // ---- writer_memory.cpp, writer_lanes.cpp, writer_parameters.cpp, writer_atomics.cpp
  bool memory();
  void load();
  void store();
  void atomic();
  void load_parameter();
  void store_parameter();
  Value address(const Operand& operand);
  unsigned vector_length() const;
  std::vector<Value> load_lanes(const Value& address, const std::string& type, unsigned count);
  std::vector<Value> load_contiguous(const std::vector<Value>& firsts, const std::string& type,
                                     unsigned count);
  std::vector<Value> load_same(const std::vector<Value>& firsts, const std::string& type,
                               unsigned count);
  void store_contiguous(const std::vector<Value>& firsts, const std::vector<Value>& values,
                        const std::string& type);
  std::string mask_of_row(size_t row, size_t of);
  std::string joined_rows(std::vector<std::string> parts, const std::string& type, size_t width);
  void store_lanes(const Value& address, std::vector<Value> values, const std::string& type);
  void check(const Value& address, unsigned bytes, uint32_t kind, ptx::Space space,
             const Value* stored = nullptr);
  void note_sync(uint32_t kind);
  void count_block(const Block& block);
  void count_parting();
  Value is_contiguous(const Value& address, unsigned stride, std::vector<Value>* firsts);
  void for_each_lane(const Value& lanes, const std::function<void(const Value& lane)>& body);
  Value one_atomic(const std::string& op, const Value& address, const std::vector<Value>& values,
                   Type type);
  std::string piece(const std::string& name, int64_t offset);

  // ---- writer_warp.cpp
  bool warp_operation();
  void shuffle_lanes();
  void vote();
  void match();
  void reduce_lanes();
  void check_members(const Value& members);
  Value permute(const Value& value, const Value& indices);
  void call_support();
  void call_runtime(const std::string& name);
  std::vector<Value> support(const std::string& name, const std::vector<Value>& arguments,
                             const std::string& result);
  std::string scratch(size_t index);

  const ptx::Module& module_;
  const ptx::Function& function_;
  const SharedLayout& shared_;
  const Options& options_;
  Flow flow_;
  Liveness live_;
  Divergence divergence_;
  RegisterSet crossing_;
  Layout layout_;
  Ir ir_;

  // the block at hand
  size_t block_ = 0;
  std::unordered_map<int, Value> now_;
  std::vector<bool> dirty_;
  Value mask_, mask_wide_;
  const Instruction* at_ = nullptr;
  std::unordered_map<std::string, Value>
      passed_;  // pieces of arguments and results of calls without frames
  size_t scratches_ = 0;
  int half_ = -1;  // of a pair of 16-bit floats
  Value half_result_;
};

}  // namespace twin
