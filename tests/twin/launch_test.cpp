#include <doctest/doctest.h>

#include <filesystem>

#include "twin/command.h"

namespace {

using namespace torchlight::test;

std::vector<std::string> alone(const std::vector<std::string>& further) {
  std::vector<std::string> words = {kernel_file("alone.cu")};
  words.insert(words.end(), further.begin(), further.end());
  return words;
}

TEST_CASE("launch: a primitive is the reference") {
  const std::string launch = "scale<<<4,32>>>(x=rand(100), y=poison(100), 100, 2.5)";
  const Result right = twin(alone({"--launch", launch, "--expect", "y=mul(x, 2.5)", "--check"}));
  CHECK(right.status == 0);
  CHECK(has(right.out, "y: right"));
  const Result wrong = twin(alone({"--launch", launch, "--expect", "y=mul(x, 2)"}));
  CHECK(wrong.status == 1);
  CHECK(has(wrong.error, "100 of 100 are wrong"));
}

TEST_CASE("launch: launches follow each other on the same arrays") {
  const Result result =
      twin(alone({"--launch", "scale<<<(4),dim3(32,1,1)>>>(x=range(100), y=poison(100), 100, 2)",
                  "--launch", "scale<<<4,32>>>(y, z=poison(100), 100, 3)", "--expect", "z=mul(x, 6)"}));
  CHECK(result.status == 0);
  CHECK(has(result.out, "passed: 2 launches, 1 expectations"));
}

TEST_CASE("launch: what isn't written is seen") {
  const Result result = twin(alone(
      {"--launch", "half_of_it<<<1,64>>>(x=rand(100), y=poison(100), 100)", "--expect", "y=copy(x)"}));
  CHECK(result.status == 1);
  CHECK(has(result.error, "y[1] was never written"));
  CHECK(has(result.error, "50 of 100 are wrong, 50 never written"));
}

TEST_CASE("launch: arrays come from files and go into them") {
  const std::string file = fresh_folder("npy") + "/y.npy";
  const std::vector<std::string> saved = alone(
      {"--launch", "scale<<<1,32>>>(x=rand(4x5, 3), y=poison(4x5), 20, 1)", "--save", "y=" + file});
  CHECK(twin(saved).status == 0);
  CHECK(std::filesystem::file_size(file) == 128 + 80);
  const std::string read = "scale<<<1,32>>>(x=" + file + ", y=poison(20), 20, 1)";
  CHECK(twin(alone({"--launch", read, "--expect", "y=" + file})).status == 0);
  CHECK(twin(alone({"--launch", "scale<<<1,32>>>(x=zeros(20), y=poison(20), 20, 1)", "--expect",
                    "y=" + file}))
            .status == 1);
}

TEST_CASE("launch: numbers become what the parameter is") {
  const std::string launch = "longs<<<1,1>>>(y=poison(3), 9007199254740993, 200, true)";
  CHECK(twin(alone({"--launch", launch, "--expect", "y=y"})).status == 0);
  const Result large = twin(alone({"--launch", "longs<<<1,1>>>(y=poison(3), 1, 256, true)"}));
  CHECK(large.status == 2);
  CHECK(has(large.error, "\"256\" doesn't fit into unsigned char small"));
}

TEST_CASE("launch: a fault stands in its line") {
  const Result result = twin(alone({"--launch", "behind_end<<<1,32>>>(y=zeros(32), 1)", "--check"}));
  CHECK(result.status == 1);
  CHECK(has(result.error, error_at("alone.cu", "behind_end")));
  CHECK(has(result.error, "block (0,0,0), thread (31,0,0)]"));
  CHECK(twin(alone({"--launch", "behind_end<<<1,32>>>(y=zeros(32), 0)", "--check"})).status == 0);
}

TEST_CASE("launch: what can't be done says why") {
  const auto says = [](const std::string& launch, int status, const std::string& text) {
    CAPTURE(launch);
    const Result result = twin(alone({"--launch", launch, "--time-limit", "1"}));
    CHECK(result.status == status);
    CHECK(has(result.error, text));
  };
  says("scale<<<4,32>>>(x=rand(100), y=poison(100), 100)", 2,
       "scale takes 4 arguments, not 3: scale(const float* x, float* y, int n, double factor)");
  says("scales<<<4,32>>>(x=rand(100))", 2, "there is no kernel scales; there are\n");
  says("strided<<<1,32>>>(x=rand(256), y=poison(32))", 2,
       "say which:\n  void strided<1>(float const*, float*)\n  void strided<8>");
  says("scale<<<4,32>>>(x, y=poison(100), 100, 1)", 2, "there is no array x yet");
  says("scale<<<4,32>>>(x=rand(100,f64), y=poison(100), 100, 1)", 2,
       "x is of float64, and the parameter is const float* x");
  says("scale<<<4>>>(x=rand(100))", 2, "between <<< and >>> stand the grid, the block");
  says("scale(x=rand(100))", 2, "<<<…>>> is missing");
  says("scale<<<4,2000>>>(x=rand(100), y=poison(100), 100, 1)", 1,
       "a block of 2000 x 1 x 1 threads; the most are 1024");
  says("large<<<1,32,102400>>>(y=poison(32))", 1, "102400 bytes of shared memory; 49152 are allowed");
  says("forever<<<1,32>>>(flag=zeros(1))", 1, "ran longer than it may [kernel forever, ");
}

}  // namespace
