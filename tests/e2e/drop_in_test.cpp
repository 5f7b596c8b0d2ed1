// Kernel drop-ins in the open: what `torchlight devices` tells of them, and how `torchlight verify` judges them. All are
// stand-ins of tests/drop_ins that compute on the CPU; what STAND_IN says, they do.
#include <stdlib.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include <torchlight/torchlight.h>

#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

using torchlight::test::Launch, torchlight::test::read_file, torchlight::test::Result,
    torchlight::test::run, torchlight::test::says, torchlight::test::Scratch;

namespace {

/// Copies a stand-in to where its name makes a drop-in of it.
std::string put(const Scratch& scratch, const std::string& stand_in, const std::string& name) {
  std::filesystem::copy_file(std::string(STAND_INS "/") + stand_in + ".so", scratch.file(name));
  return scratch.file(name);
}

Result verify(const std::string& file, const std::string& behaviour, std::vector<std::string> more) {
  more.insert(more.begin(), {"verify", file});
  return run(Launch{more, {{"STAND_IN", behaviour}}});
}

/// A stand-in that its probe finds right.
struct Good {
  const char *stand_in, *name, *behaviour;
  const char* used;  ///< a line of the report
};
constexpr Good good[] = {
    {"softmax", "softmax_kernel.so", "rounds columns=1024 grid=5000",
     "    attn_softmax_bw: used: launch form; up to 1024 columns; 1024 rows at once; rounds rows up to "
     "a multiple of 4"},
    {"softmax_tutorial", "softmax_kernel.so", "",
     "    attn_softmax_fw: used: tutorial form; up to 65536 columns; 32768 rows at once"},
    {"layernorm", "layernorm_kernel.so", "vars_eps step=4 columns=4096 inp_output",
     "    layernorm_fw: used: launch form; up to 4096 columns, multiples of 4; 32768 rows at once; eps "
     "1e-08 inside"},
    {"layernorm_tutorial", "layernorm_kernel.so", "eps=1e-5",
     "    layernorm_bw: used: tutorial form; up to 65536"},
    {"combine", "combine.so", "few_ids transposed columns=2048",
     "    matmul: used: square results only"}};

/// One that its probe finds right, and that isn't.
struct Control {
  const char *stand_in, *name, *behaviour;
  const char* part;
  const char *check, *found;
};
constexpr Control controls[] = {
    {"softmax", "softmax_kernel.so", "fault=zeros after=400", "attn_softmax_fw",
     "[values]: ", "it gave a row whose sum is 0.000000, not 1"},
    {"softmax", "softmax_kernel.so", "fault=nan after=400", "attn_softmax_fw",
     "[values]: ", "it gave NaN for finite numbers"},
    {"softmax", "softmax_kernel.so", "fault=stale after=400", "attn_softmax_bw",
     "[values]: ", "output["},
    {"layernorm", "layernorm_kernel.so", "fault=wrong after=400", "layernorm_fw", "[", "output["},
    {"layernorm", "layernorm_kernel.so", "fault=untouched after=400", "layernorm_bw", "[",
     "it returned and left its output untouched"},
    {"combine", "combine.so", "fault=zeros after=900", "matmul", "[", "output["},
    {"softmax", "softmax_kernel.so", "fault=wrong from=1100 to=1500", "long_case",
     "long_case/attn_softmax_fw/1", "it gave a row whose sum is 1.25"},
    {"layernorm", "layernorm_kernel.so", "fault=tail from=1100 to=1900", "long_case",
     "long_case/layernorm_", "["},
    {"softmax", "softmax_kernel.so", "fault=exit after=400", "attn_softmax_fw",
     "[values]: ", "it ended its process with exit(1), after printing \"CUDA error: no device\""},
    {"softmax", "softmax_kernel.so", "fault=throw after=400", "attn_softmax_fw",
     "[values]: ", "it threw std::runtime_error: out of range"},
    {"softmax", "softmax_kernel.so", "fault=crash after=400", "attn_softmax_bw", "[",
     "it crashed: Segmentation fault"},
    {"softmax", "softmax_kernel.so", "fault=behind after=400", "attn_softmax_bw", "[",
     "it wrote outside of its buffers"}};

/// A file of which nothing is used, and the loader's reason.
void check_refused(const std::string& file, const std::string& behaviour, const std::string& reason) {
  const Result result = verify(file, behaviour, {});
  CAPTURE(result.out);
  CAPTURE(result.error);
  CHECK(result.status == 1);
  CHECK(says(result.out, "drop_in          FAILED", reason, "does not conform: 1 of 1 parts failed"));
}

}  // namespace

TEST_CASE("verify: good drop-ins of every form pass, within limits that are shown") {
  for (const Good& one : good) {
    const Scratch scratch;
    const Result result = verify(put(scratch, one.stand_in, one.name), one.behaviour,
                                 {"--random", "1000", "--seed", "7"});
    CAPTURE(std::string(one.stand_in));
    CAPTURE(result.out);
    CHECK(result.status == 0);
    CHECK(says(result.out, "values from seed 7", "drop_in          passed", one.used,
               "long_case        passed", "conforms: "));
  }
}

TEST_CASE("verify: a drop-in that its probe found right is found out where it isn't") {
  for (const Control& control : controls) {
    const Scratch scratch;
    const std::string file = put(scratch, control.stand_in, control.name);
    const Result result =
        verify(file, control.behaviour, {"--part", control.part, "--seed", "3", "--random", "10000"});
    CAPTURE(std::string(control.behaviour));
    CAPTURE(result.out);
    CHECK(result.status == 1);
    CHECK(says(result.out, "drop_in          passed", "FAILED", control.check, control.found,
               "does not conform"));
  }
}

TEST_CASE("verify: a drop-in that hangs is stopped, and the case is named") {
  const Scratch scratch;
  const Result result = verify(put(scratch, "softmax", "softmax_kernel.so"), "fault=hang after=400",
                               {"--part", "attn_softmax_fw", "--patience", "30"});
  CAPTURE(result.out);
  CHECK(result.status == 1);
  CHECK(says(result.out, "attn_softmax_fw/float32/", "[time]: nothing went on for 30 s"));
}

TEST_CASE("verify: of a drop-in, cases of one name, and a report in JSON") {
  const Scratch scratch;
  const std::string json = scratch.file("report.json"),
                    file = put(scratch, "softmax", "softmax_kernel.so");
  const Result result = verify(file, "", {"--case", "attn_softmax_bw/float32/3x33/", "--json", json});
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK_FALSE(says(result.out, "attn_softmax_fw  "));
  const auto report = nlohmann::json::parse(read_file(json));
  CHECK(report[0]["file"] == file);
  CHECK(report[0]["passed"] == true);
  REQUIRE(report[0]["parts"].size() == 2);
  CHECK(report[0]["parts"][0]["name"] == "drop_in");
  CHECK(report[0]["parts"][0]["notes"]["attn_softmax_fw"] ==
        "used: launch form; up to 65536 columns; 32768 rows at once; adds its mask");
  CHECK(report[0]["parts"][1]["name"] == "attn_softmax_bw");
  CHECK(report[0]["parts"][1]["done"] > 0);
  // What it doesn't take isn't tried, and is no success.
  CHECK(verify(file, "", {"--case", "attn_softmax_bw/float64/"}).status == 1);
  CHECK(verify(file, "", {"--part", "matmul"}).status == 2);
}

TEST_CASE("verify: drop-ins conform on a device whose memory the host can't see, too") {
  ::setenv("TWIN_HIDE_MEMORY", "1", 1);
  const Scratch scratch;
  struct Part {
    const char *stand_in, *name, *part;
  };
  for (const Part& one : {Part{"softmax", "softmax_kernel.so", "attn_softmax_fw"},
                          Part{"layernorm", "layernorm_kernel.so", "layernorm_fw"},
                          Part{"layernorm", "layernorm_kernel.so", "layernorm_bw"},
                          Part{"combine", "combine.so", "matmul"}}) {
    std::filesystem::remove(scratch.file(one.name));
    const Result result = verify(put(scratch, one.stand_in, one.name), "", {"--part", one.part});
    CAPTURE(std::string(one.part));
    CAPTURE(result.out);
    CHECK(result.status == 0);
    CHECK(says(result.out, "conforms: "));
  }
  ::unsetenv("TWIN_HIDE_MEMORY");
}

TEST_CASE("verify: what is no drop-in is refused with the loader's reason") {
  const Scratch scratch;
  check_refused(put(scratch, "nothing", "softmax_kernel.so"), "",
                "it exports none of launch_attn_softmax");
  check_refused(put(scratch, "layernorm", "layernorm_kernel.so"), "eps=0.3",
                "rows of +-0.0001 give +-0.000182574, which is layernorm with no known eps (0.3)");
  check_refused(scratch.write("combine.so", std::string(5000, 'x')), "", "invalid ELF header");
  check_refused(
      scratch.write("my_softmax.cu", "int x;"), "",
      "a kernel drop-in is called softmax_kernel, layernorm_kernel or combine, with .so or .cu");
  check_refused(scratch.write("softmax_kernel.cu", "this isn't C++"), "", "softmax_kernel.cu");
  const Result missing = verify(scratch.file("layernorm_kernel.cu"), "", {});
  CHECK(missing.status == 2);
  CHECK(says(missing.error, "layernorm_kernel.cu", "No such file"));
}

TEST_CASE(
    "verify: a plug-in with the name of a drop-in is judged as a plug-in, and the reverse isn't") {
  const Scratch scratch;
  const std::string plugin = scratch.file("combine.so");
  std::filesystem::copy_file(TEMPLATE_PLUGIN, plugin);
  const Result right = verify(plugin, "", {"--part", "identity"});
  CAPTURE(right.out);
  CHECK(right.status == 0);
  const Result wrong = verify(put(scratch, "softmax", "my_softmax.so"), "", {});
  CAPTURE(wrong.out);
  CHECK(wrong.status == 1);
  CHECK(says(wrong.out, "identity         FAILED", "no identity note",
             "(a kernel drop-in is called softmax_kernel.so, layernorm_kernel.so or combine.so)"));
}

TEST_CASE("devices: shows what became of each kernel drop-in, and tries none where that isn't wanted") {
  const Scratch scratch;
  const std::string right = put(scratch, "softmax", "softmax_kernel.so"),
                    wrong = put(scratch, "layernorm", "layernorm_kernel.so"),
                    source = scratch.file("combine.cu");
  scratch.write("combine.cu", "");
  std::string directory = scratch.file("");
  directory.pop_back();
  const auto devices = [&](std::vector<std::string> more, const std::string& which) {
    more.insert(more.begin(), "devices");
    return run(Launch{more,
                      {{"TORCHLIGHT_CUDA_KERNEL_DIR", directory},
                       {"TORCHLIGHT_DROP_INS", which},
                       {"STAND_IN", "eps=0.3 columns=1024"}}});
  };
  const Result all = devices({}, "on");
  CAPTURE(all.out);
  CHECK(all.status == 0);
  CHECK(says(
      all.out, "  drop_ins\n", "    " + right + ": used\n",
      "      attn_softmax_fw: launch form; up to 1024 columns; 32768 rows at once; adds its mask\n",
      "    " + wrong +
          ": rejected: rows of +-0.0001 give +-0.000182574, which is layernorm with no known eps"));
  CHECK(says(all.out, "    " + source + ": rejected: empty file\n",
             "    note: each call of a kernel drop-in copies its data to another process and back"));
  const Result quick = devices({"--quick"}, "on");
  CAPTURE(quick.out);
  CHECK(says(quick.out, "  drop_ins (torchlight devices without --quick tells more)\n",
             "    " + right + ": untried: it is tried when a call first wants it\n",
             "    " + source + ": rejected: empty file\n"));
  const Result off = devices({}, "off");
  CAPTURE(off.out);
  CHECK(says(off.out, "  drop_ins\n    kernel drop-ins are turned off (TORCHLIGHT_DROP_INS=off)\n"));
  CHECK_FALSE(says(off.out, right + ": used"));
  CHECK_FALSE(says(run({"devices"}).out, "drop_ins"));
}
