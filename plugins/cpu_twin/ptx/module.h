// What a PTX text says, as plain data: functions of instructions over registers, and variables. Nothing is
// interpreted here: an instruction is its opcode, its modifiers and its operands as they are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twin::ptx {

/// The kinds that matter to whoever holds a value: width, and how bits are read. b32 counts as u32.
enum class Type : uint8_t {
  none,
  pred,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2
};

/// b8 … f64 by the name that stands behind the dot; none where there is no such type.
Type type_of(std::string_view name);
unsigned bits_of(Type type);
bool is_float(Type type);
bool is_signed(Type type);

enum class Space : uint8_t { generic, global, shared, local, constant, param };

struct Operand {
  enum class Kind : uint8_t {
    reg,      // index into Function::registers; `negated` for !%p
    integer,  // bits
    real,     // bits of a double, or of a float where `single`
    symbol,   // name (a variable, parameter, function or special register) + offset
    address,  // [reg or symbol + offset]: `reg` ≥ 0 or `name`
    list,     // {a, b, …} or (a, b)
    pair,     // d|p of two: `items`
    sink      // _
  };
  Kind kind = Kind::sink;
  bool negated = false;
  bool single = false;
  int reg = -1;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string name;
  std::vector<Operand> items;
};

/// Where an instruction comes from. `file` counts Module::files.
struct Line {
  uint32_t file = 0;
  uint32_t line = 0;
};

struct Instruction {
  std::string opcode;                  // "ld", "fma", "bar"
  std::vector<std::string> modifiers;  // "global", "v4", "f32" …
  std::vector<Operand> operands;
  int guard = -1;  // @%p
  bool guard_negated = false;
  Line line;

  bool has(std::string_view modifier) const;
  /// The last modifier that is a type, or the `nth` from the end (cvt has two).
  Type type(unsigned nth = 0) const;
  Space space() const;
};

struct Register {
  std::string name;
  Type type = Type::none;
};

/// A variable: global, constant, shared or local memory, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;  // of an element
  uint64_t bytes = 0;      // 0: its size comes with the launch
  uint64_t align = 1;
  bool external = false;
  std::vector<uint8_t> initial;
  struct Address {
    uint64_t at;
    std::string name;
    int64_t offset;
  };
  std::vector<Address> addresses;  // words of `initial` that hold the addresses of others
};

struct Label {
  std::string name;
  size_t at;  // index of the instruction behind it
};

struct Table {  // .branchtargets of a brx.idx
  std::string name;
  std::vector<std::string> labels;
};

struct Function {
  std::string name;
  bool kernel = false;
  bool defined = false;
  std::vector<Variable> parameters;
  std::vector<Variable> results;
  std::vector<Variable> locals;  // .local and .shared declared inside, and .param of call sequences
  std::vector<Register> registers;
  std::vector<Instruction> code;
  std::vector<Label> labels;
  std::vector<Table> tables;
  Line line;
  uint32_t max_threads = 0;  // .maxntid, 0 where it doesn't say
};

struct Module {
  std::vector<std::string> files;  // by .file number
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function* function(std::string_view name) const;
  const Variable* variable(std::string_view name) const;
};

/// Reads a text. Throws CompileError that names the line.
Module parse(std::string_view text);

}  // namespace twin::ptx
