// What a plug-in tells of its device (torchlight.details/1) arrives; whatever else it does hurts nobody.
#include <doctest/doctest.h>

#include "zoo.h"

using test::Outcome;
using test::Zoo;

namespace {

/// The probe asks twice, quick and thorough, and then computes with the same device.
Outcome ask(const std::string& how) {
  Zoo zoo;
  zoo.put("details");
  const Outcome outcome =
      zoo.probe({"details", "quick", "details", "thorough", "sum", "details"}, {{"ZOO_DETAILS", how}});
  CHECK_SAYS(outcome, "sum 4");
  CHECK_SAYS(outcome, "\nend\n");
  return outcome;
}

/// Nothing of the device but this problem is told, each time.
void check_problem(const std::string& how, const std::string& problem) {
  CAPTURE(how);
  const std::string line = "detail details|details|complete||" + problem + "\\n\n";
  CHECK_SAYS(ask(how), "asked quick\n" + line + "asked thorough\n" + line + "sum");
}

}  // namespace

TEST_CASE(
    "details: what a plug-in tells of its device arrives, and more where it is asked to be thorough") {
  const Outcome outcome = ask("sense");
  CHECK_SAYS(outcome,
             "asked quick\n"
             "detail details|driver|incomplete|{\"version\": 7}|version 7\\n\n"
             "detail details|place|complete||slot 2\\n\n"
             "asked thorough\n"
             "detail details|driver|complete|{\"version\": 7, \"tuned\": 3}|"
             "version 7\\nall of its 3 kernels are tuned\\n\n"
             "detail details|place|complete||slot 2\\n\n"
             "sum 4");
  CHECK_SAYS(ask("silence"), "asked quick\nasked thorough\nsum 4");
}

TEST_CASE("details: a plug-in that throws or fails is told of in a line, and goes on working") {
  check_problem("fails", "the plug-in can't tell: the driver is gone");
  const std::string threw =
      "the plug-in can't tell: it threw an exception, which no function of its table may";
  check_problem("throws", threw);
  CHECK_SAYS(ask("throws_late"),
             "detail details|place|complete||slot 2\\n\n"
             "detail details|details|complete||" +
                 threw + "\\n\n");
}

TEST_CASE("details: what isn't text or JSON is shown as codes, or left out with a word") {
  CHECK_SAYS(ask("garbage"),
             "detail details|driver|complete||a\\x1b[2Jb \\xff\\xc3( c\\n\n"
             "detail details|details|complete||what the plug-in tells programs of driver isn't JSON, "
             "and is left "
             "out\\n\n");
  CHECK_SAYS(ask("cut_json"),
             "detail details|driver|complete||version 7\\n\n"
             "detail details|details|complete||what the plug-in tells programs of driver isn't "
             "JSON, and is left out\\n\n");
}

TEST_CASE("details: what is longer than 1 MiB is cut, and of thousands of topics 64 are taken") {
  const Outcome outcome = ask("long");
  CHECK_SAYS(outcome,
             "detail details|driver|complete||" + std::string(100, 'x') + "… of 1048603 bytes\n");
  CHECK_SAYS(outcome, "driver is longer than 1 MiB, and is left out\\n\n");
  const Outcome many = ask("many");
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = many.output.find("|driver|", at)) != std::string::npos; ++at) ++lines;
  CHECK(lines == 2 * 64);
  CHECK_SAYS(many, "detail details|details|complete||the plug-in tells of more than 64 topics\\n\n");
}

TEST_CASE("details: a topic without a name or a struct is told of, and the rest is taken") {
  CHECK_SAYS(ask("names"),
             "asked quick\ndetail details|driver|complete||\n"
             "detail details|details|complete||the plug-in names a topic \"No Topic!\", where a-z, "
             "0-9 and _ are due, 31 at most\\n\nasked thorough");
  check_problem("nothing", "the plug-in tells of a topic in a struct that is none");
  check_problem("short", "the plug-in tells of a topic in a struct that is none");
}
