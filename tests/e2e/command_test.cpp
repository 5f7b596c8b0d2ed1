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
  CHECK(result.status == 1);
  CHECK(says(result.out, "no device works", "cpu_simd", "TORCHLIGHT_SIMD=bogus"));
}

TEST_CASE("devices: a reader that leaves is no error, a full disk is one") {
  CHECK(run(Launch{{"devices"}, {}, Stdout::closed_pipe}).status == 0);
  const Result full = run(Launch{{"devices"}, {}, Stdout::full_disk});
  CHECK(full.status == 1);
  CHECK(says(full.error, "No space left"));
}
