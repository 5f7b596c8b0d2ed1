#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "twin/command.h"

namespace {

using namespace torchlight::test;

const std::string scale = "scale<<<1,32>>>(x=rand(32), y=poison(32), 32, 1)";

TEST_CASE("errors: a source that doesn't compile shows clang's words and the line") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", kernel_file("not_a_program.cu")},
           {kernel_file("not_a_program.cu"), "--launch", "kernel<<<1,1>>>(x=zeros(1))"},
           {kernel_file("not_a_program.cu"), "--op", "relu"}}) {
    const Result result = twin(words);
    CHECK(result.status == 1);
    CHECK(has(result.error, "doesn't compile"));
    CHECK(has(result.error, "not_a_program.cu:3:10: error: use of undeclared identifier 'undeclared'"));
  }
}

TEST_CASE("errors: a program without a main") {
  const Result result = twin({"run", kernel_file("alone.cu")});
  CHECK(result.status == 1);
  CHECK(has(result.error, "main"));
}

TEST_CASE("errors: no clang") {
  const Result result = twin({kernel_file("alone.cu"), "--launch", scale},
                             {{"TORCHLIGHT_TWIN_CLANG", "/nowhere/clang++"}});
  CHECK(result.status == 1);
  CHECK(has(result.error, "kernels are compiled by clang 14 or newer, and there is none"));
}

TEST_CASE("errors: the command is used wrongly") {
  const auto says = [](const std::vector<std::string>& words, const std::string& text) {
    const Result result = twin(words);
    CHECK(result.status == 2);
    CHECK(has(result.error, text));
    CHECK(result.out.empty());
  };
  says({}, "say which CUDA source");
  says({"run"}, "say which CUDA source");
  says({kernel_file("alone.cu")}, "say what to do with it");
  says({"run", "/nowhere/k.cu"}, "/nowhere/k.cu can't be read: No such file or directory");
  says({"run", "/"}, "/ is a directory");
  says({"run", kernel_file("alone.cu"), "--time-limit", "-1"}, "--time-limit");
  says({"run", kernel_file("alone.cu"), "--nonsense"}, "--nonsense");
  says({kernel_file("alone.cu"), "--launch", scale, "--op", "relu"},
       "--op and --launch are two things");
  says({kernel_file("alone.cu"), "--launch", scale, "--json=/nowhere/v.json"},
       "/nowhere/v.json can't be written");
  says({kernel_file("alone.cu"), "--launch", scale, "--expect", "y=/nowhere/y.npy"},
       "/nowhere/y.npy can't be read");
  says({kernel_file("alone.cu"), "--launch", scale, "--expect", "y=nonsense(x)"},
       "there is no primitive nonsense; there are abs, add");
  says({kernel_file("alone.cu"), "--launch", scale, "--expect", "z=copy(x)"},
       "no launch has an array z");
  says({kernel_file("alone.cu"), "--launch", scale, "--expect", "y=softmax(x, x)"}, "it is softmax(x)");
  says({kernel_file("alone.cu"), "--launch", scale, "--save", "y=y.txt"}, "--save is NAME=FILE.npy");
}

TEST_CASE("errors: a cache that can't be written is no obstacle") {
  const std::string cache = fresh_folder("cache") + "/file";
  std::ofstream(cache) << "no folder";
  const Result result = twin({kernel_file("alone.cu"), "--launch", scale, "--expect", "y=copy(x)"},
                             {{"TORCHLIGHT_TWIN_CACHE", cache}});
  CHECK(result.status == 0);
  CHECK(has(result.error, "compiled kernels are kept for this process alone"));
}

TEST_CASE("errors: a verdict or an array that doesn't fit on the disk") {
  const Result full = twin({kernel_file("alone.cu"), "--launch", scale, "--json=/dev/full"});
  CHECK(full.status == 1);
  CHECK(has(full.error, "/dev/full can't be written: No space left on device"));
}

}  // namespace
