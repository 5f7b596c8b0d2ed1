#include "loader/selection.h"

#include <doctest/doctest.h>
#include <torchlight/error.h>

using torchlight::DeviceError;
using torchlight::loader::parse_selection;

TEST_CASE("selection: names, indices and lists") {
  const auto one = parse_selection("cpu");
  REQUIRE(one.size() == 1);
  CHECK(one[0].name == "cpu");
  CHECK(one[0].index == 0);
  const auto list = parse_selection("cuda:1,cpu_simd");
  REQUIRE(list.size() == 2);
  CHECK(list[0].name == "cuda");
  CHECK(list[0].index == 1);
  CHECK(list[1].name == "cpu_simd");
}

TEST_CASE("G08: names are exact") {
  for (const char* bad : {"", " ", "cpu ", " cpu", "CPU", "cpu-simd", "cpu, ", "cpu;cuda", ":1", "a b"})
    CHECK_THROWS_WITH_AS(parse_selection(bad), doctest::Contains("not a name"), DeviceError);
  for (const auto& [bad, place] : {std::pair{"cpu,", "\"cpu,\": entry 2 of the list is empty"},
                                   {",cpu", "\",cpu\": entry 1 of"},
                                   {"cpu,,cuda", "\"cpu,,cuda\": entry 2 of"},
                                   {",", "\",\": entry 1 of"}})
    CHECK_THROWS_WITH_AS(parse_selection(bad), doctest::Contains(place), DeviceError);
  for (const char* bad :
       {"cpu:", "cpu:x", "cpu:1x", "cpu:-1", "cpu:+1", "cpu:01", "cpu: 1", "cpu:1:2", "cpu:4294967296"})
    CHECK_THROWS_WITH_AS(parse_selection(bad), doctest::Contains("is not an index"), DeviceError);
}
