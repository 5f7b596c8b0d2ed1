// The conformance runner must find each fault that a plug-in of bad/ has, and say what it is.
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include <doctest/doctest.h>

namespace {

struct Outcome {
  int status;
  std::string output;
};

Outcome run(const std::string& plugin, const std::string& only) {
  const std::string command =
      std::string(CONFORMANCE) + " " + plugin + " --random 0 --only " + only + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  Outcome outcome;
  char part[4096];
  while (std::size_t n = std::fread(part, 1, sizeof part, pipe)) outcome.output.append(part, n);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

struct Control {
  const char* plugin;
  const char* only;   ///< the cases that touch it
  int status;         ///< 1: found by a check, 3: by a guard page
  const char* found;  ///< in the report
};

constexpr Control controls[] = {
    {"wrong_tail", "map/exp/float32/", 1, "map/exp/float32/3/typical [values]: output[2] is "},
    {"writes_behind", "zip/add/float32/", 3, "at output: 0 bytes behind its end"},
    {"writes_before", "zip/add/float32/", 1, "[values]: wrote outside output"},
    {"writes_gaps", "map/neg/float32/", 1, "[values]: wrote between the elements of output"},
    {"reads_behind", "map/neg/float32/", 3, "at input: 0 bytes behind its end"},
    {"swallows_nan", "reduce/max/float32/", 1, "[values]: output[0] is "},
    {"ignores_strides", "map/neg/float32/33x65/", 1, "from_transposed [values]: output[0,1] is "},
    {"changes_input", "zip/add/float32/", 1, "[values]: changed x"},
    {"forgets_empty", "reduce/sum/float32/", 1, "reduce/sum/float32/0/"},
    {"reads_beta", "matmul/float32/", 1, "[values]: output[0,0] is nan"},
    {"allocates", "matmul/float32/", 1, "[values]: allocated 1 times"},
    {"changes_rounding", "map/tanh/", 1, "[values]: changed the floating-point mode of the process"},
    {"breaks_promise", "matmul/float32/", 1,
     "did not do what supports promised: no batches of batches"},
    {"depends_on_threads", "reduce/sum/float32/", 1, "[repeatable]: with 8 threads: gave other bits"},
    {"depends_on_address", "reduce/sum/float32/", 1, "[repeatable]: 16 bytes further: gave other bits"},
    {"wrong_in_place", "map/neg/float32/", 1, "[in_place]: in place of input: output[0] is "},
    {"forgets_state", "optim/sgd_momentum/float32/", 1, "[values]: state0[0] is "},
    {"silent", "zip/", 1, "supports gave no reason in its error text"},
    {"too_talkative", "zip/add/float32/", 1,
     "[refusals]: zip wrote an error text longer than its capacity of 8"},
    {"ignores_flags", "zip/add/float32/", 1, "[refusals]: supports accepted an unknown flag"},
    {"overfills_answer", "zip/add/float32/", 1, "[sizes]: supports wrote beyond an answer of 8 bytes"},
};

std::string bad_plugin(const std::string& name) {
  return std::string(BAD_PLUGINS) + "/" + name + ".so";
}

}  // namespace

TEST_CASE("conformance finds what is wrong with each of the bad plug-ins") {
  for (const Control& control : controls) {
    CAPTURE(control.plugin);
    const Outcome outcome = run(bad_plugin(control.plugin), control.only);
    CAPTURE(outcome.output);
    CHECK(outcome.status == control.status);
    CHECK(outcome.output.find(control.found) != std::string::npos);
  }
}

TEST_CASE("conformance passes the same cases of a plug-in without the faults") {
  for (const Control& control : controls) {
    CAPTURE(control.only);
    const bool in_template = std::string(control.only).find("optim/") != 0;
    const Outcome outcome = run(in_template ? TEMPLATE_PLUGIN : CPU_SIMD_PLUGIN, control.only);
    CAPTURE(outcome.output);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("conformance is not passed by a plug-in that does nothing of what is asked") {
  const Outcome outcome = run(TEMPLATE_PLUGIN, "layernorm_fw/");
  CHECK(outcome.status == 1);
  CHECK(outcome.output.find("0 cases done") != std::string::npos);
}

TEST_CASE("conformance asks for everything when told to") {
  const Outcome outcome = run(TEMPLATE_PLUGIN, "map/sin/ --complete");
  CHECK(outcome.status == 1);
  CHECK(outcome.output.find("[complete]: declined: no map function 32") != std::string::npos);
}

TEST_CASE("conformance says what keeps a file from being opened") {
  const Outcome missing = run("/nowhere/x.so", "map/");
  CHECK(missing.status == 2);
  CHECK(missing.output.find("no file /nowhere/x.so") != std::string::npos);
  const Outcome foreign = run(CONFORMANCE, "map/");
  CHECK(foreign.status == 2);
}
