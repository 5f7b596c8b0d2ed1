#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dtype.h"
#include "layout.h"
#include "values.h"

/// One call of a plug-in as data.
namespace torchlight::test {

enum class Op : std::uint8_t {
  map = TL_PRIMITIVE_MAP,
  zip,
  reduce,
  matmul,
  attn_softmax_fw,
  attn_softmax_bw,
  layernorm_fw,
  layernorm_bw,
  gather,  ///< from here on extensions, which `supports` doesn't know
  scatter_add,
  scan,
  random,
  optim,
};
inline constexpr std::array all_ops = {Op::map,
                                       Op::zip,
                                       Op::reduce,
                                       Op::matmul,
                                       Op::attn_softmax_fw,
                                       Op::attn_softmax_bw,
                                       Op::layernorm_fw,
                                       Op::layernorm_bw,
                                       Op::gather,
                                       Op::scatter_add,
                                       Op::scan,
                                       Op::random,
                                       Op::optim};
const char* name(Op op);
inline bool is_primitive(Op op) { return op <= Op::layernorm_bw; }

/// The views an operation takes, in this order in Case::operands.
struct Slot {
  const char* name;
  bool is_output;
  bool optional;
};
std::span<const Slot> slots(Op op);
std::size_t slot(Op op, std::string_view name);

struct Operand {
  Dtype dtype = Dtype::float32;
  Layout layout = {};
  Values values = {};  ///< an output's are what it holds before the call where that matters
  bool present = true;
};

/// What the contract says about a case.
enum class Demand : std::uint8_t {
  required,   ///< a backend that offers all of the primitive does it
  optional,   ///< it may be declined, but done is done right
  undefined,  ///< it may be declined, and what it gives is nowhere said
};

struct Case {
  std::string name;
  Op op = Op::map;
  std::vector<Operand> operands;  ///< one for each slot
  std::uint64_t seed = 1;
  Demand demand = Demand::required;

  std::uint32_t fn = 0;  ///< TL_MAP_… and so on; TL_RANDOM_… for random
  std::vector<double> params = {};
  std::uint32_t axis_mask = 0;   // reduce
  std::uint32_t axis = 0;        // gather, scatter_add, scan
  bool reverse = false;          // scan
  double alpha = 1, beta = 0;    // matmul
  std::uint32_t activation = 0;  // matmul
  double scale = 1;              // softmax
  bool causal = false;
  std::int64_t causal_offset = 0;
  double eps = 1e-5;  // layernorm
  std::uint32_t normalized = 1;
  double slack = 0;  ///< what else is allowed, in units of the last place of the largest result
  std::uint64_t random_seed = 0, random_offset = 0;
  std::uint32_t flags = 0;         // optim; its numbers are params, in the struct's order
  std::vector<std::int64_t> cuts;  // optim: where axis 0 is cut into parameters of their own

  const Operand& operand(std::string_view slot_name) const { return operands[slot(op, slot_name)]; }
  Operand& operand(std::string_view slot_name) { return operands[slot(op, slot_name)]; }
  /// Whether the call reads what the outputs hold before it.
  bool reads_output() const {
    return op == Op::scatter_add || op == Op::optim || (op == Op::matmul && beta != 0);
  }
};

/// The rows of ops.def, to generate cases from.
struct Row {
  Op op;
  std::uint32_t fn;
  const char* name;
  std::string_view domain;
  int inputs;
  int params;
};
std::span<const Row> rows();
const Row* find_row(Op op, std::uint32_t fn);
/// What may go into a row of the domain: the dtype that all inputs but a select's condition have.
std::span<const Dtype> input_dtypes(std::string_view domain);
/// What comes out of it.
Dtype output_dtype(std::string_view domain, Dtype input);

}  // namespace torchlight::test
