// `torchlight verify`, as people run it.
#include <nlohmann/json.hpp>

#include <torchlight/torchlight.h>

#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

using torchlight::test::read_file, torchlight::test::Result, torchlight::test::run,
    torchlight::test::says, torchlight::test::Scratch;

namespace {

Result verify(const std::string& file, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"verify", file});
  return run(more);
}

}  // namespace

TEST_CASE("verify: cpu_simd's cases of one name, and a report in JSON") {
  const Scratch scratch;
  const std::string json = scratch.file("report.json");
  const Result result =
      verify(CPU_SIMD_PLUGIN, {"--case", "zip/add/float32/33", "--random", "0", "--json", json});
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK(says(result.out, "random cases from seed 1", "zip", "passed, ", "conforms"));
  CHECK_FALSE(says(result.out, "map"));
  const auto report = nlohmann::json::parse(read_file(json));
  CHECK(report[0]["passed"] == true);
  CHECK(report[0]["parts"][0]["name"] == "zip");
  CHECK(report[0]["parts"][0]["done"] > 0);
  CHECK(report[0]["parts"][0]["failures"].empty());
}

TEST_CASE("verify: a wrong value, a crash and a plug-in that isn't one are told, and where") {
  const std::string bad = BAD_PLUGINS;
  const Result wrong = verify(bad + "/wrong_tail.so", {"--case", "map/exp/float32/"});
  CAPTURE(wrong.out);
  CHECK(wrong.status == 1);
  CHECK(says(wrong.out, "map/exp/float32/3/typical [values]: output[2] is ",
             "does not conform: 1 of 1 parts"));

  const Result crash = verify(bad + "/writes_behind.so", {"--case", "/add/float32/"});
  CAPTURE(crash.out);
  CHECK(crash.status == 1);
  CHECK(says(crash.out, "zip/add/float32/", "[crash]: ", "at output: 0 bytes behind its end"));

  const Result foreign = verify(CONFORMANCE);
  CHECK(foreign.status == 1);
  CHECK(says(foreign.out, "identity", "FAILED", "does not conform"));
  const Result missing = verify("/nowhere/x.so");
  CHECK(missing.status == 2);
  CHECK(says(missing.error, "/nowhere/x.so", "No such file"));
  CHECK(verify(CPU_SIMD_PLUGIN, {"--case", "no such case"}).status == 1);
}

TEST_CASE("verify: a plug-in that hangs is stopped, and the case is named") {
  const Result result =
      verify(std::string(BAD_PLUGINS) + "/hangs.so", {"--case", "matmul/", "--patience", "1"});
  CAPTURE(result.out);
  CHECK(result.status == 1);
  CHECK(says(result.out, "matmul/", "[time]: nothing went on for 1 s"));
}

TEST_CASE("verify: from above, identity, training and threads of the template") {
  const Result result = verify(TEMPLATE_PLUGIN, {"--no-speed", "--random", "0"});
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK(says(result.out, "device: my_backend", "training         passed", "done on cpu: [\"",
             "threads          passed", "attn_softmax_fw  not offered", "conforms: "));
}

TEST_CASE("verify: from above, both test devices whose memory the host can't see into") {
  const Scratch scratch;
  const std::string json = scratch.file("part.json");
  for (const char* file : {REMOTE_PLUGIN, REMOTE_SIMD_PLUGIN})
    for (const char* part : {"identity", "training", "threads"}) {
      CAPTURE(file);
      CAPTURE(part);
      const Result result = run({"verify-part", file, "--part", part, "--json", json, "--activity",
                                 scratch.file("activity")});
      CAPTURE(result.error);
      CHECK(result.status == 0);
      CHECK(nlohmann::json::parse(read_file(json))["failures"].empty());
    }
}
