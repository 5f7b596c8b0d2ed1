// The conformance runner must find each fault that a plug-in of bad/ has, and say what it is.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Outcome {
  int status;
  std::string output;
};

Outcome run(const std::string& plugin, const std::string& only, const std::string& part = {}) {
  std::string command = std::string(CONFORMANCE) + " " + plugin + " --random 0 --seed 3";
  if (!only.empty()) command += " --only " + only;
  if (!part.empty()) command += " --part " + part;
  command += " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  Outcome outcome;
  char piece[4096];
  while (std::size_t n = std::fread(piece, 1, sizeof piece, pipe)) outcome.output.append(piece, n);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

struct Control {
  const char* plugin;
  const char* only;   ///< the cases that touch it
  int status;         ///< 1: found by a check, 3: the process ended
  const char* found;  ///< in the report
  const char* part = "";
};

// A sanitizer's malloc can't be made to fail.
#if defined(TORCHLIGHT_SANITIZED)
constexpr bool malloc_never_fails = true;
#else
constexpr bool malloc_never_fails = false;
#endif

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
    {"gives_zeros", "zip/add/float32/", 1, "[values]: output[0] is 0, should be "},
    {"gives_nan", "matmul/float32/", 1, "[values]: output[0,0] is nan, should be "},
    {"gives_old_memory", "zip/mul/float32/", 1, "[repeatable]: again: gave other bits"},
    {"remembers_answers", "matmul/float32/", 1, "[fresh]: with one element changed: output["},
    {"skips_work", "map/neg/float32/", 1, "[values]: output[768] is nan, should be "},
    {"returns_early", "map/neg/float32/", 1, "[values]: "},
    {"stops_working", "reduce/max/float32/", 1, "[values]: output["},
    {"stops_working", "reduce", 1, "speed/reduce/sum_of_rows/float32/256x1024 [speed]: output[",
     "speed"},
    {"remembers_values", "matmul", 1,
     "speed/matmul/float32/256x256x256 [speed]: a call that was made before takes ", "speed"},
    {"works_beside", "matmul", 1,
     "speed/matmul/float32/256x256x256 [finished]: with other inputs as soon as stream_sync had "
     "returned",
     "speed"},
    {"works_when_read", "zip/add/float32/33", 1,
     "[finished]: with other inputs as soon as stream_sync had returned: "},
    {"shows_the_end", "zip/add/float32/33", 1,
     "[values]: an element of output was another one when stream_sync had returned"},
    {"returns_errors", "matmul/float32/", 1,
     "[values]: did not do what supports promised: lost in thought"},
    {"needs_memory", "", 3, "FAILED device/memory: Segmentation fault", "device"},
    {"starts_thread", "", 1, "[surroundings]: opening it started ", "device"},
    {"changes_mask", "", 1, "[surroundings]: opening it changed the mask of new files", "device"},
    {"aborts_in_call", "reduce/max/float32/", 3, "reduce/max/float32/1025/"},
};

/// What the table of docs/verify.md says: "| `wrong_tail` | what is wrong | values, in_place |".
std::string documented_checks(const std::string& plugin) {
  std::ifstream page(VERIFY_PAGE);
  for (std::string line; std::getline(page, line);) {
    if (line.find("| `" + plugin + "` |") != 0) continue;
    const std::size_t begin = line.rfind("| ", line.size() - 3) + 2;
    return line.substr(begin, line.size() - 2 - begin);
  }
  return {};
}

/// Of lines "FAILED case [check]: text".
std::vector<std::string> checks_in(const std::string& output) {
  std::vector<std::string> found;
  for (std::size_t at = output.find("FAILED "); at != std::string::npos;
       at = output.find("FAILED ", at + 1)) {
    const std::size_t begin = output.find(" [", at), end = output.find("]: ", at);
    if (begin < end && end < output.find('\n', at))
      found.push_back(output.substr(begin + 2, end - begin - 2));
  }
  return found;
}

std::vector<std::string> plugins_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".c") names.push_back(file.path().stem());
  return names;
}

/// The same plug-in without the fault, as far as the control's cases go.
std::string good_plugin(const Control& control) {
  if (std::ranges::count(plugins_of(BAD_DEVICE_SOURCES), std::string(control.plugin)))
    return REMOTE_PLUGIN;
  const bool in_template = std::string(control.only).find("optim/") != 0;
  return in_template ? TEMPLATE_PLUGIN : CPU_SIMD_PLUGIN;
}

std::string bad_plugin(const std::string& name) {
  return std::string(BAD_PLUGINS) + "/" + name + ".so";
}

}  // namespace

TEST_CASE("conformance finds what is wrong with each of the bad plug-ins, and nothing else") {
  for (const Control& control : controls) {
    if (malloc_never_fails && control.plugin == std::string("needs_memory")) continue;
    CAPTURE(std::string(control.plugin));
    const Outcome outcome = run(bad_plugin(control.plugin), control.only, control.part);
    CAPTURE(outcome.output);
    const std::string documented = documented_checks(control.plugin);
    CAPTURE(documented);
    const bool may_crash = documented.ends_with(", crash");
    CHECK((outcome.status == control.status || (may_crash && outcome.status == 3)));
    CHECK(outcome.output.find(control.found) != std::string::npos);
    for (const std::string& found : checks_in(outcome.output))
      CHECK((", " + documented + ",").find(", " + found + ",") != std::string::npos);
    CHECK((documented == "crash") == (control.status == 3));
  }
}

TEST_CASE("conformance: every plug-in of bad/ is tried, and docs/verify.md says what finds it") {
  for (const char* folder : {BAD_SOURCES, BAD_DEVICE_SOURCES})
    for (const std::string& name : plugins_of(folder)) {
      CAPTURE(name);
      const bool by_verify = name == "hangs" || name == "aborts_at_once";  // tests/e2e/verify_test.cpp
      CHECK((by_verify ||
             std::ranges::any_of(controls, [&](const Control& c) { return name == c.plugin; })));
      CHECK(!documented_checks(name).empty());
    }
}

TEST_CASE("conformance passes the same cases of a plug-in without the faults") {
  for (const Control& control : controls) {
    CAPTURE(control.only);
    const Outcome outcome = run(good_plugin(control), control.only, control.part);
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
