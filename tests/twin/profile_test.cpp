#include <doctest/doctest.h>

#include "twin/command.h"

namespace {

using namespace torchlight::test;

Json profile(const std::string& launch) {
  const Json all = verdict({kernel_file("alone.cu"), "--profile", "--launch", launch}, 0);
  REQUIRE(all["profile"].size() == 1);
  return all["profile"][0];
}

TEST_CASE("profile: sectors of neighbours and of strided reads") {
  const Json dense = profile("strided<1><<<1,32>>>(x=rand(32), y=poison(32))");
  CHECK(dense["global_read"] == Json{{"requests", 1}, {"lanes", 32}, {"units", 4}, {"least", 4}});
  CHECK(dense["global_write"] == Json{{"requests", 1}, {"lanes", 32}, {"units", 4}, {"least", 4}});
  const Json far = profile("strided<8><<<1,32>>>(x=rand(256), y=poison(32))");
  CHECK(far["global_read"] == Json{{"requests", 1}, {"lanes", 32}, {"units", 32}, {"least", 4}});
}

TEST_CASE("profile: conflicts of the banks, and none with one more column") {
  CHECK(profile("columns<32><<<1,32>>>(y=poison(32))")["shared_write"] ==
        Json{{"requests", 1}, {"lanes", 32}, {"units", 32}, {"least", 1}});
  CHECK(profile("columns<33><<<1,32>>>(y=poison(32))")["shared_write"] ==
        Json{{"requests", 1}, {"lanes", 32}, {"units", 1}, {"least", 1}});
}

TEST_CASE("profile: branches part a warp, or don't") {
  CHECK(profile("ways<<<2,64>>>(y=zeros(2), 8)")["parted"] >= 4);
  CHECK(profile("ways<<<2,64>>>(y=zeros(2), 32)")["parted"] == 0);
  CHECK(profile("ways<<<2,64>>>(y=zeros(2), 32)")["warps"] == 4);
}

TEST_CASE("profile: instructions are counted once a warp") {
  const Json one = profile("strided<1><<<1,32>>>(x=rand(32), y=poison(32))");
  CHECK(one["instructions"] == one["text_instructions"]);  // no branches in it
  CHECK(one["lane_instructions"].get<int>() == 32 * one["instructions"].get<int>());
}

TEST_CASE("profile: the page names counted and static figures") {
  const Result result =
      twin({kernel_file("alone.cu"), "--profile", "--launch", "columns<32><<<1,32>>>(y=poison(32))"});
  CHECK(result.status == 0);
  for (const char* text : {"profile of void columns<32>(float*)", "  counted\n", "  static\n",
                           "32.0 times the ideal", "occupancy", "by the number of blocks"})
    CHECK(has(result.out, text));
}

TEST_CASE("profile: a whole program is counted, too") {
  const Result result =
      twin({"run", kernel_file("block_sum.cu"), kernel_file("numbers.cu"), "--profile"});
  CHECK(result.status == 0);
  CHECK(has(result.out, "sum 999\nprofile of block_sum(float const*, float*, int)"));
}

}  // namespace
