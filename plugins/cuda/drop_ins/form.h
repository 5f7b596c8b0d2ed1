#pragma once

#include <cstdint>

/// What a kernel drop-in can do, as the probe found it. These structs travel between two processes of one
/// build as they are: plain numbers and closed arrays of characters.
namespace torchlight::drop_ins {

/// What a file is for, told by its name: it is asked for these launchers and no others.
enum class Family : std::uint32_t { softmax, layernorm, combine };
inline constexpr int family_count = 3;
inline constexpr const char* family_stem[family_count] = {"softmax_kernel", "layernorm_kernel",
                                                          "combine"};

/// The calls that go to a helper. Beside the ABI's primitives of the same names they are narrower: dense
/// float32, and free of all that a launcher can't do (call.h).
enum class Op : std::uint32_t {
  softmax_fw,
  softmax_bw,
  layernorm_fw,
  layernorm_bw,
  map,
  zip,
  reduce,
  matmul
};
inline constexpr int op_count = 8;
inline constexpr const char* op_name[op_count] = {
    "attn_softmax_fw", "attn_softmax_bw", "layernorm_fw", "layernorm_bw", "map", "zip",
    "reduce",          "matmul"};

constexpr Family family_of(Op op) {
  return op <= Op::softmax_bw     ? Family::softmax
         : op <= Op::layernorm_bw ? Family::layernorm
                                  : Family::combine;
}

/// How a launcher is spelt and called.
enum class Spelling : std::uint32_t {
  launch,   ///< launch_attn_softmax, launch_layernorm and so on, with streams; tensorMap and its kin
  tutorial  ///< attn_softmax_fw, layernorm_fw and so on, without
};

/// What softmax does with its mask. It is always given zeros, so this is only told.
enum class Mask : std::uint32_t { unknown, added, ignored, other };
/// What layernorm writes to `vars`.
enum class Vars : std::uint32_t { none, variance, variance_and_eps };

/// One launcher.
struct Form {
  std::uint32_t accepted = 0;
  Spelling spelling = Spelling::launch;
  std::int32_t most_columns = 0;          ///< reduce: of the reduced axis
  std::int32_t columns_step = 1;          ///< only multiples of it work
  std::int32_t most_rows = 0;             ///< in one call of the launcher; more are split
  std::uint32_t touches_rows_behind = 0;  ///< it rounds rows up to a multiple of 4
  Mask mask = Mask::unknown;
  Vars vars = Vars::none;
  float eps = 0;                    ///< layernorm: inside the square root
  std::uint32_t inp_is_output = 0;  ///< layernorm_bw: its `inp` is what the forward gave
  std::uint32_t square_only = 0;    ///< matmul: wrong where rows and columns of the result differ
  std::uint32_t functions = 0;      ///< map, zip, reduce: a bit for each row of functions.h
  char reason[480] = "";            ///< why it isn't accepted; otherwise what else is worth telling
};

/// One file.
struct Description {
  Form forms[op_count];
  char reason[480] = "";  ///< why none of it is usable; empty where a form tells more
};

}  // namespace torchlight::drop_ins
