#include <filesystem>

#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

using torchlight::test::Launch, torchlight::test::read_file, torchlight::test::Result,
    torchlight::test::run, torchlight::test::says, torchlight::test::Scratch;

namespace {

// Ten kinds of pictures, each with a stroke in a place of its own.
std::string pictures(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int label = i % 10;
    for (int pixel = 0; pixel < 64; ++pixel)
      text += std::to_string(pixel / 6 == label ? 10 + i % 7 : i % 3) + ",";
    text += std::to_string(label) + "\n";
  }
  return text;
}

// On `device`, with the plug-in of the test device `remote` where it is looked for.
Result run_on(const std::string& device, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--device", device});
  return run(
      Launch{arguments, {{"TORCHLIGHT_PLUGIN_PATH", REMOTE_PLUGIN}, {"TORCHLIGHT_FALLBACK", "allow"}}});
}

// The losses that the lines of the epochs tell.
std::vector<double> losses(const std::string& out) {
  std::vector<double> result;
  for (std::size_t at = 0; (at = out.find("  loss ", at)) != std::string::npos; ++at)
    result.push_back(std::stod(out.substr(at + 7)));
  return result;
}

}  // namespace

TEST_CASE("train digits, predict: on a device that the host can't see into as on cpu") {
  const Scratch scratch;
  const std::string data = scratch.write("pictures.csv", pictures(80)),
                    weights = scratch.file("w.safetensors");
  const std::vector<std::string> training{"train", "digits", "--data",   data,
                                          "--out", weights,  "--epochs", "3"};
  const Result here = run_on("cpu", training), away = run_on("remote", training);
  CAPTURE(here.out);
  CAPTURE(away.out);
  CAPTURE(away.error);
  CHECK(here.status == 0);
  CHECK(away.status == 0);
  CHECK(away.error == "");
  CHECK(says(here.out, "device cpu"));
  CHECK(says(away.out, "device remote", "test accuracy: ", "weights saved"));
  const std::vector<double> wanted = losses(here.out), got = losses(away.out);
  REQUIRE(wanted.size() == 3);
  REQUIRE(got.size() == 3);
  CHECK(wanted[2] < wanted[0]);
  for (std::size_t i = 0; i < 3; ++i) CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-2));

  // What was learned there is used there, and here.
  for (const char* device : {"remote", "cpu"}) {
    const Result shown =
        run_on(device, {"predict", "--data", data, "--weights", weights, "--index", "7"});
    CAPTURE(shown.error);
    CHECK(shown.status == 0);
    CHECK(says(shown.out, "digit 7: the answer is ", "the label 7"));
  }
}

namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Training with cpu_simd's kernels behind the device, whose results are cpu's; on the digits themselves, or on a few
/// pictures where a sanitizer watches. Nothing may fall back.
Result train_behind(const std::string& device, const std::string& weights,
                    Environment environment = {}) {
  environment.insert(environment.end(), {{"TORCHLIGHT_PLUGIN_PATH", REMOTE_SIMD_PLUGIN},
                                         {"TORCHLIGHT_FALLBACK", "error"}});
  std::vector<std::string> arguments{"train",    "digits", "--epochs", "2",
                                     "--device", device,   "--out",    weights};
#ifdef TORCHLIGHT_SANITIZED
  const Scratch scratch;
  arguments.insert(arguments.end(), {"--data", scratch.write("pictures.csv", pictures(200))});
#endif
  return run(Launch{arguments, environment});
}

}  // namespace

TEST_CASE("train digits: with cpu's kernels on the device, losses and weights are cpu's to the bit") {
  const Scratch scratch;
  const std::string here_file = scratch.file("here.safetensors"),
                    away_file = scratch.file("away.safetensors");
  const Result here = train_behind("cpu", here_file);
  CHECK(here.status == 0);
  REQUIRE(losses(here.out).size() == 2);
  for (const Environment& delays :
       {Environment{}, Environment{{"REMOTE_DELAY_US", "5"}, {"REMOTE_SEED", "3"}}}) {
    const Result away = train_behind("remote", away_file, delays);
    CAPTURE(away.error);
    CHECK(away.status == 0);
    CHECK(away.error == "");
    CHECK(says(away.out, "device remote"));
    CHECK(losses(away.out) == losses(here.out));
    CHECK(read_file(away_file) == read_file(here_file));
  }
}

TEST_CASE("train digits: a device that is lost on the way ends it with what happened and what to do") {
  const Scratch scratch;
  const Result result =
      train_behind("remote", scratch.file("w.safetensors"), {{"REMOTE_LOSE_AFTER", "500"}});
  CAPTURE(result.error);
  CHECK(result.status == 1);
  CHECK(says(result.error, "device remote: device failed: ", "the device is lost",
             "what was on it is gone: start the program again, from its last checkpoint"));
  const std::string once = "(said once for each device)";
  const std::size_t at = result.error.find(once);
  CHECK((at == std::string::npos || result.error.find(once, at + 1) == std::string::npos));
  CHECK_FALSE(std::filesystem::exists(scratch.file("w.safetensors")));
}

TEST_CASE("train digits: the test device is there only where its plug-in is looked for") {
  const Result result = run(Launch{{"train", "digits", "--device", "remote"}});
  CHECK(result.status == 2);
  CHECK(says(result.error, "remote", "cpu"));
}
