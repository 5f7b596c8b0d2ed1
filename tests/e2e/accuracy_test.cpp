#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

using torchlight::test::Launch, torchlight::test::Result, torchlight::test::run, torchlight::test::says,
    torchlight::test::Scratch;

TEST_CASE("train digits: 98 % for each of five seeds on each instruction set of this machine") {
  int tried = 0;
  for (const std::string simd : {"sse2", "avx2", "avx512", "neon"}) {
    const Result devices = run(Launch{{"devices"}, {{"TORCHLIGHT_SIMD", simd}}});
    if (!says(devices.out, "instruction set  " + simd)) continue;
    ++tried;
    for (const std::string seed : {"1", "2", "3", "4", "5"}) {
      const Scratch scratch;
      const Result result =
          run(Launch{{"train", "digits", "--seed", seed, "--out", scratch.file("w.safetensors")},
                     {{"TORCHLIGHT_SIMD", simd}}});
      CAPTURE(simd);
      CAPTURE(seed);
      CAPTURE(result.out);
      const std::size_t at = result.out.find("test accuracy: ");
      REQUIRE(at != std::string::npos);
      CHECK(std::stod(result.out.substr(at + 15)) >= 98);
    }
  }
  CHECK(tried >= 1);
}
