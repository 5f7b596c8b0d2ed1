// `torchlight verify`, as people run it.
#include <fstream>

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
  CHECK(says(result.out, "values from seed ", ": again with --seed ", "zip", "passed, ", "conforms"));
  CHECK_FALSE(says(result.out, "map"));
  const auto report = nlohmann::json::parse(read_file(json));
  CHECK(report[0]["passed"] == true);
  CHECK(report[0]["parts"][0]["name"] == "zip");
  CHECK(report[0]["parts"][0]["done"] > 0);
  CHECK(report[0]["parts"][0]["failures"].empty());
  CHECK(report[0]["seed"].is_number());
  CHECK(report[0]["parts"][0]["accuracy"][0]["kind"] == "zip/add/float32");
}

TEST_CASE("verify: a seed is given, drawn anew, or shown nowhere") {
  const Scratch scratch;
  const std::string json = scratch.file("report.json");
  const std::vector<std::string> few{"--case", "zip/add/float32/33", "--random", "0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), few.begin(), few.end());
    return verify(CPU_SIMD_PLUGIN, more);
  };
  CHECK(says(with({"--seed", "5"}).out, "values from seed 5\n"));
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  CHECK(first_line(with({}).out) != first_line(with({}).out));
  const Result hidden = with({"--hide-seed", "--json", json});
  CHECK(says(hidden.out, "values from a seed that isn't shown", "conforms"));
  CHECK(nlohmann::json::parse(read_file(json))[0]["seed"].is_null());
  CHECK(with({"--hide-seed", "--seed", "5"}).status == 2);
}

TEST_CASE("verify: what the loader refuses is said as docs/verify.md has it") {
  std::ifstream page(VERIFY_PAGE);
  int rows = 0;
  bool is_second_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| file | fault |")) is_second_table = true;
    if (!is_second_table || !line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    const std::size_t begin = line.rfind("| ", line.size() - 3) + 2;
    const std::string said = line.substr(begin, line.size() - 2 - begin);
    const Result result = verify(std::string(ZOO) + "/" + name + ".so", {"--no-speed"});
    CAPTURE(name);
    CAPTURE(result.out);
    CHECK(result.status == 1);
    CHECK(says(result.out, "identity         FAILED", said, "does not conform: 1 of 1 parts failed"));
    ++rows;
  }
  CHECK(rows >= 20);
}

TEST_CASE(
    "verify: from above, a plug-in whose functions are a little off fails in the gradients, too") {
  const Scratch scratch;
  const std::string json = scratch.file("part.json");
  const auto gradients = [&](const std::string& file) {
    const Result result = run({"verify-part", file, "--part", "gradients", "--json", json, "--activity",
                               scratch.file("activity")});
    CAPTURE(result.error);
    return nlohmann::json::parse(read_file(json));
  };
  const auto wrong = gradients(std::string(BAD_PLUGINS) + "/wrong_tail.so");
  CAPTURE(wrong.dump());
  REQUIRE(!wrong["failures"].empty());  // softmax is composed of it here
  CHECK(wrong["failures"][0]["case"] == "gradients/map/exp");
  CHECK(wrong["done"] >= 20);
  const auto right = gradients(TEMPLATE_PLUGIN);
  CAPTURE(right.dump());
  CHECK(right["failures"].empty());
  CHECK(right["done"] >= 20);
}

TEST_CASE("verify: speed beside cpu_simd and the core's limit") {
  const Scratch scratch;
  const std::string json = scratch.file("report.json");
  const Result result = run({"verify", CPU_SIMD_PLUGIN, "--part", "speed", "--json", json});
  CAPTURE(result.out);
  CAPTURE(result.error);
  CHECK(result.status == 0);
  CHECK(
      says(result.out, "matmul/float32/256x256x256", " of the core's limit, ", " of cpu_simd's speed"));
  const auto report = nlohmann::json::parse(read_file(json));
  CHECK(report[0]["parts"][0]["speeds"].size() == 10);
  for (const auto& speed : report[0]["parts"][0]["speeds"]) {
    CHECK(speed["seconds"] > 0);
    CHECK(speed["of_limit"] > 0);
  }
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
      verify(std::string(BAD_PLUGINS) + "/hangs.so", {"--case", "matmul/", "--patience", "5"});
  CAPTURE(result.out);
  CHECK(result.status == 1);
  CHECK(says(result.out, "matmul/", "[time]: nothing went on for 5 s"));
}

TEST_CASE("verify: a plug-in that ends the process when it is loaded is a line of the report") {
  const Result result = verify(std::string(BAD_PLUGINS) + "/aborts_at_once.so", {"--no-speed"});
  CAPTURE(result.out);
  CHECK(result.status == 1);
  CHECK(says(result.out, "identity", "[crash]: it ended by Aborted", "does not conform"));
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
