// What the probe finds out about libraries of every kind: exactly this is told of them.
#include <doctest/doctest.h>

#include <vector>

#include "kernels.h"

using namespace test;

namespace {

struct Expectation {
  const char* stand_in;
  const char* behaviour;
  const char* primitive;
  const char* route;
};

constexpr Expectation forms[] = {
    {"softmax", "", "attn_softmax_fw",
     "used: launch form; up to 65536 columns; 32768 rows at once; adds its mask"},
    {"softmax", "", "attn_softmax_bw", "used: launch form; up to 65536 columns; 32768 rows at once"},
    {"softmax", "columns=1024", "attn_softmax_fw",
     "used: launch form; up to 1024 columns; 32768 rows at once; adds its mask"},
    {"softmax", "columns=2048 no_mask", "attn_softmax_fw",
     "used: launch form; up to 2048 columns; 32768 rows at once; ignores its mask"},
    {"softmax", "columns=4096 step=4", "attn_softmax_bw",
     "used: launch form; up to 4096 columns, multiples of 4; 32768 rows at once"},
    {"softmax", "columns=1024 step=32", "attn_softmax_bw",
     "used: launch form; up to 1024 columns, multiples of 32; 32768 rows at once"},
    {"softmax", "rounds", "attn_softmax_bw",
     "used: launch form; up to 65536 columns; 32768 rows at once; rounds rows up to a multiple of 4"},
    {"softmax", "grid=5000", "attn_softmax_bw",
     "used: launch form; up to 65536 columns; 1024 rows at once"},
    {"softmax", "grid=100", "attn_softmax_bw",
     "used: launch form; up to 65536 columns; 64 rows at once"},
    {"softmax_tutorial", "columns=1024", "attn_softmax_fw",
     "used: tutorial form; up to 1024 columns; 32768 rows at once"},
    {"layernorm", "columns=1024", "layernorm_fw",
     "used: launch form; up to 1024 columns; 32768 rows at once; eps 1e-08 inside; vars is the "
     "variance"},
    {"layernorm", "vars_eps step=4 columns=4096", "layernorm_fw",
     "used: launch form; up to 4096 columns, multiples of 4; 32768 rows at once; eps 1e-08 inside; "
     "vars is the "
     "variance + eps"},
    {"layernorm", "", "layernorm_bw",
     "used: launch form; up to 65536 columns; 32768 rows at once; inp is the forward's input"},
    {"layernorm", "inp_output vars_eps", "layernorm_bw",
     "used: launch form; up to 65536 columns; 32768 rows at once; inp is the forward's output"},
    {"layernorm", "eps=1e-5", "layernorm_fw",
     "used: launch form; up to 65536 columns; 32768 rows at once; eps 1e-05 inside; vars is the "
     "variance"},
    {"layernorm", "bad_vars", "layernorm_fw",
     "not used: it writes vars 0.0001 and means 0 for rows of variance 1e-08 and mean 0: neither the "
     "variance nor the "
     "variance + 1e-08"},
    {"layernorm_tutorial", "eps=1e-6", "layernorm_bw",
     "used: tutorial form; up to 65536 columns; 32768 rows at once; eps 1e-06 inside"},
    {"combine", "", "map", "used: ID NEG SIGMOID RELU EXP INV TANH SQRT ABS"},
    {"combine", "", "zip", "used: ADD MUL LT EQ RELU_BACK MAX POW SUB GT SIGMOID_BACK MIN DIV"},
    {"combine", "few_ids", "map",
     "used: ID NEG SIGMOID RELU EXP INV TANH; not used: SQRT (map SQRT: element 0 is 0.5, should be "
     "0.707106781); ABS "
     "(map ABS: element 3 is -1, should be 1)"},
    {"combine", "guarded", "map",
     "used: ID NEG SIGMOID RELU TANH SQRT ABS; not used: EXP (map EXP: element 998 is 3.40282347e+38, "
     "should be inf); "
     "INV (map INV: element 1 is 0, should be -inf)"},
    {"combine", "guarded", "zip",
     "used: ADD MUL LT EQ RELU_BACK MAX POW SUB GT SIGMOID_BACK MIN; not used: DIV (zip DIV: element "
     "19 is 0, should be -inf)"},
    {"combine", "unsigned", "map",
     "used: ID NEG SIGMOID RELU EXP TANH SQRT ABS; not used: INV (map INV: element 1 is inf, should be "
     "-inf)"},
    {"combine", "fault=crash_sub", "zip",
     "used: ADD MUL LT EQ RELU_BACK MAX POW GT SIGMOID_BACK MIN DIV; not used: SUB (it crashed: "
     "Segmentation fault)"},
    {"combine", "columns=1024", "map", "used: ID NEG SIGMOID RELU EXP INV TANH SQRT ABS"},
    {"combine", "", "reduce", "used: ADD MUL MAX MIN; up to 65536 columns; 32768 rows at once"},
    {"combine", "columns=2048", "reduce",
     "used: ADD MUL MAX MIN; up to 2048 columns; 32768 rows at once"},
    {"combine", "few_ids", "reduce",
     "used: ADD MUL MAX; up to 65536 columns; 32768 rows at once; not used: MIN (reduce MIN of 33 "
     "rows, 20 columns: "
     "element 0 is inf, should be -0.781711519)"},
    {"combine", "", "matmul", "used: any size"},
    {"combine", "transposed", "matmul",
     "used: square results only; it returned and left its output untouched from element 32 on"},
};

std::string file_name(const std::string& stand_in) {
  return stand_in == "combine" ? "combine.so" : stand_in.substr(0, stand_in.find('_')) + "_kernel.so";
}

/// The whole file is refused, for this reason.
struct Fault {
  const char* behaviour;
  const char* reason;
};

constexpr Fault faults[] = {
    {"fault=exit", "it ended its process with exit(1), after printing \"CUDA error: no device\""},
    {"fault=throw", "it threw std::runtime_error: out of range"},
    {"fault=throw_int", "it threw int"},
    {"fault=crash", "it crashed: Segmentation fault"},
    {"fault=abort", "it crashed: Aborted"},
    {"fault=close_all", "it closes file descriptors that aren't its own"},
    {"fault=untouched",
     "it returned and left its data unchanged, after printing \"CUDA error: invalid configuration\""},
    {"fault=behind", "it wrote outside of its buffers"},
    {"fault=before", "it wrote outside of its buffers"},
    {"fault=nan", "attn_softmax_fw of 5 rows, 32 columns: element 80 is nan, should be 0.023917034"},
    {"fault=wrong",
     "attn_softmax_fw of 5 rows, 32 columns: element 80 is 0.273917019, should be 0.023917034"},
    {"load=exit",
     "while it was loaded it ended its process with exit(1), after printing \"CUDA error: no device\""},
    {"load=abort", "while it was loaded it crashed: Aborted"},
    {"load=crash", "while it was loaded it crashed: Segmentation fault"},
    {"load=throw",
     "while it was loaded it crashed: Aborted, after printing \"terminate called after throwing an "
     "instance of "
     "'std::runtime_error'\""},
    {"load=close_all", "it closes file descriptors that aren't its own"},
};

}  // namespace

TEST_CASE("the probe tells which form a library speaks, and with which limits") {
  std::map<std::string, Probed> probed;
  for (const Expectation& expected : forms) {
    CAPTURE(std::string(expected.stand_in) + " " + expected.behaviour);
    const std::string name = file_name(expected.stand_in);
    DropIns& drop_ins =
        probed.try_emplace(name, name).first->second.get(expected.stand_in, expected.behaviour);
    CHECK(route(drop_ins.list(), expected.primitive) == expected.route);
  }
}

TEST_CASE("a quick listing tries nothing, and tells of what was tried") {
  const Kernels kernels("load=exit");
  const std::string softmax = kernels.put("softmax", "softmax_kernel.so");
  kernels.write("combine.cu", "what no compiler takes");
  DropIns drop_ins(kernels.options());
  const drop_ins::Listing before = drop_ins.list(drop_ins::Look::quick);
  REQUIRE(before.files.size() == 2);
  CHECK_FALSE(before.is_complete());
  CHECK(before.files[0].state == Listed::State::untried);
  CHECK(before.files[0].reason == "it is tried when a call first wants it");
  CHECK(before.files[1].reason == "it is compiled and tried when a call first wants it");
  CHECK(text_of(before).find(softmax + ": untried: it is tried when") != std::string::npos);
  CHECK(json_of(before).find("\"state\": \"untried\"") != std::string::npos);

  CHECK(drop_ins.list(drop_ins::Look::thorough).is_complete());
  const drop_ins::Listing after = drop_ins.list(drop_ins::Look::quick);
  CHECK(after.is_complete());
  CHECK(after.files[0].state == Listed::State::rejected);
  CHECK(after.files[0].reason.find("while it was loaded it ended its process") == 0);
}

TEST_CASE("a library that fails at the first case is refused with what it did") {
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.behaviour));
    const Kernels kernels(fault.behaviour);
    kernels.put("softmax", "softmax_kernel.so");
    CHECK(refusal(kernels.options()) == fault.reason);
  }
  const Kernels kernels("fault=none load=none");
  kernels.put("softmax", "softmax_kernel.so");
  CHECK(refusal(kernels.options()) == "");
}

TEST_CASE("a library that hangs is refused after its time") {
  const Kernels kernels("fault=hang");
  kernels.put("softmax", "softmax_kernel.so");
  drop_ins::Options options = kernels.options();
  options.limits.load_seconds = options.limits.step_seconds = 2;
  CHECK(refusal(options) == "it did not return within 2.0 s");
  Kernels::behave("load=hang");
  CHECK(refusal(options) == "while it was loaded it did not return within 2.0 s");
  Kernels::behave("");
  CHECK(refusal(options) == "");
}

TEST_CASE("a library that hangs over a width is used up to it") {
  const Kernels kernels("fault=hang at=384");
  kernels.put("softmax", "softmax_kernel.so");
  drop_ins::Options options = kernels.options();
  options.limits.step_seconds = 5;
  CHECK(route(DropIns(options).list(), "attn_softmax_fw") ==
        "used: launch form; up to 256 columns; 32768 rows at once; adds its mask");
}

TEST_CASE("what does no harm is no reason to refuse") {
  for (const char* behaviour :
       {"fault=fork", "fault=talk", "fault=shrink", "load=fork", "load=flood"}) {
    CAPTURE(std::string(behaviour));
    const Kernels kernels(behaviour);
    kernels.put("softmax", "softmax_kernel.so");
    CHECK(refusal(kernels.options()) == "");
  }
}

TEST_CASE("layernorm with an eps that nobody uses is refused with the numbers") {
  const Kernels kernels("eps=0.3");
  kernels.put("layernorm", "layernorm_kernel.so");
  CHECK(refusal(kernels.options()) ==
        "rows of +-0.0001 give +-0.000182574, which is layernorm with no known eps (0.3)");
}
