#include <algorithm>

#include <torchlight/version.h>

#include "process.h"
#include "support/tensor_checks.h"

using torchlight::test::Launch, torchlight::test::Result, torchlight::test::run, torchlight::test::says,
    torchlight::test::Stdout;

TEST_CASE("command: says its version and what it can do") {
  CHECK(run({"--version"}).out == "torchlight " TORCHLIGHT_VERSION "\n");
  const Result help = run({"--help"});
  CHECK(help.status == 0);
  CHECK(says(help.out, "devices", "train", "predict"));
  CHECK(says(run({"train", "digits", "--help"}).out, "--device", "--epochs", "--batch", "--lr",
             "--seed", "--out"));
}

TEST_CASE("devices: shows what each device can do, and every plug-in file") {
  const Result result = run({"devices"});
  CAPTURE(result.out);
  CHECK(result.status == 0);
  CHECK(says(result.out, "cpu: ", "instruction set", "primitives", "matmul", "composed", "fallbacks",
             "loaded", "cpu_simd"));
}

TEST_CASE("devices: says what a program gets that names none, or why it gets nothing") {
  CHECK(says(run({"devices"}).out, "default device: cpu"));
  const Result wrong = run(Launch{{"devices"}, {{"TORCHLIGHT_DEVICE", "gpu"}}});
  CHECK(wrong.status == 2);
  CHECK(says(wrong.out, "devices:", "cpu"));
  CHECK(says(wrong.error, "TORCHLIGHT_DEVICE", "gpu"));
}

TEST_CASE("devices: shows why a file was rejected") {
  const Result result = run(Launch{{"devices"}, {{"TORCHLIGHT_PLUGIN_PATH", "/nonexistent/place"}}});
  CAPTURE(result.out);
  CAPTURE(result.error);
  CHECK(result.status == 0);
  CHECK(says(result.out + result.error, "/nonexistent/place"));
}

TEST_CASE("devices: shows why a device doesn't open") {
  const Result result = run(Launch{{"devices"}, {{"TORCHLIGHT_SIMD", "bogus"}}});
  CAPTURE(result.out);
  CHECK(result.status == 2);  // the default device is the one
  CHECK(says(result.out, "cpu_simd.so", "device cpu can't be described", "TORCHLIGHT_SIMD=bogus"));
  // The best is listed first, so that of this machine is among those that are accepted.
  CHECK(says(result.error, "device cpu can't be described: ", "TORCHLIGHT_SIMD=bogus", "it has "));
  CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
}

TEST_CASE("command: a reader that leaves is no error, a full disk and a closed output are one") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"devices"},
                                                    {"--version"},
                                                    {"--help"},
                                                    {"train", "digits", "--help"}}) {
    CHECK(run(Launch{arguments, {}, Stdout::closed_pipe}).status == 0);
    for (const auto& [kind, reason] : {std::pair{Stdout::full_disk, "No space left on device"},
                                       std::pair{Stdout::closed, "Bad file descriptor"}}) {
      const Result result = run(Launch{arguments, {}, kind});
      CHECK(result.status == 1);
      CHECK(result.error ==
            std::string("torchlight: can't write to standard output: ") + reason + "\n");
    }
  }
}
