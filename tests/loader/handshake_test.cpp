// The second gate, one fault at a time; each beside a good plug-in, which must still work.
#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>

#include "zoo.h"

using test::Outcome;
using test::Zoo;

namespace {

/// Asking for the plug-in of this name gives an error with the reason, and a candidate with it.
void check_refused(const std::string& name, const std::string& reason,
                   test::Environment environment = {}) {
  CAPTURE(name);
  Zoo zoo;
  zoo.put("good");
  zoo.put(name);
  const Outcome outcome =
      zoo.probe({"open", name, "candidates", "mapped", name + ".so", "sum", "good"}, environment);
  CHECK_SAYS(outcome, "error: plug-in " + zoo.plugin(name + ".so") + " can't be used: " + reason);
  CHECK_SAYS(outcome, "candidate " + name + ".so|" + name + "|1.0|rejected|" + reason);
  CHECK_SAYS(outcome, "not mapped " + name + ".so");  // E09: nothing is left behind
  CHECK_SAYS(outcome, "sum 4");
}

}  // namespace

TEST_CASE("G05: entries and tables that are no use are refused with path and reason") {
  check_refused("no_entry", "doesn't export torchlight_plugin_v1: declare it as plugin.h does");
  check_refused("null_table", "its entry gave no table");
  check_refused("entry_fails", "its entry refused: the driver is too old (status -3)");
  check_refused("entry_fails_without_a_word", "its entry refused: it gives no reason (status -3)");
  check_refused("null_map", "its table lacks map");
  check_refused("null_reduce", "its table lacks reduce");
  check_refused("null_matmul", "its table lacks matmul");
  check_refused("countless", "it counts 4000000000 devices");
  check_refused("cannot_count", "can't count its devices: no driver (status -3)");
}

TEST_CASE("G05: zero devices is no fault of the plug-in, but asking for one is an error") {
  Zoo zoo;
  zoo.put("zero_devices");
  zoo.put("good");
  const Outcome outcome =
      zoo.probe({"devices", "candidates", "open", "zero_devices", "open", "zero_devices,good"});
  CHECK_SAYS(
      outcome,
      "candidate zero_devices.so|zero_devices|1.0|loaded|finds no such hardware here (0 devices)\n");
  CHECK_SAYS(outcome, "error: device \"zero_devices\": plug-in " + zoo.plugin("zero_devices.so") +
                          " works, but finds no such hardware here (0 devices)");
  // D10: the first that works, and a word about those before it.
  CHECK_SAYS(outcome, "opened good");
  CHECK(outcome.logs("torchlight warning: using device good: device \"zero_devices\": plug-in "));
}

TEST_CASE("A07: a table that ends early is completed with NULL, at every length") {
  // From the head alone to the whole: what is missing is missed, and never called.
  for (std::uint32_t size = 0; size <= sizeof(tl_backend); size += 4) {
    CAPTURE(size);
    Zoo zoo;
    zoo.put("short_table");
    const Outcome outcome = zoo.probe({"prepare", "short_table"}, {{"ZOO_SIZE", std::to_string(size)}});
    const bool has_head = size >= offsetof(tl_backend, device_count);
    const bool has_all = size >= offsetof(tl_backend, matmul) + sizeof(void*);
    if (!has_head)
      CHECK_SAYS(outcome, "too few for its head");
    else
      CHECK_SAYS(outcome, has_all ? "prepared short_table" : "its table lacks ");
  }
}

TEST_CASE("A06: a table from the future is used as far as it is known") {
  Zoo zoo;
  zoo.put("longer_table");
  CHECK_SAYS(zoo.probe({"prepare", "longer_table", "sum", "longer_table"}), "sum 4");
}

TEST_CASE("A09: the wrong major is refused, with both named") {
  check_refused(
      "v2_only",
      "exports the entry of plug-in ABI 2, this core has ABI 1: build it with this core's plugin.h");
  check_refused(
      "major_2",
      "its table is of plug-in ABI 2, this core has ABI 1: build it with this core's plugin.h");
}

TEST_CASE("A11: name and version of the table must be those of the note") {
  check_refused("other_name", "its table is called \"another\", its note \"other_name\"");
  check_refused("other_version", "its table is of version \"1.1\", its note of \"1.0\"");
}

TEST_CASE("E01: no exception crosses: a function that may throw does not fit into the table") {
  using Throwing = std::int32_t (*)(std::uint32_t*, tl_error*);
  using Safe = std::int32_t (*)(std::uint32_t*, tl_error*) noexcept;
  static_assert(!std::is_convertible_v<Throwing, decltype(tl_backend::device_count)>);
  static_assert(std::is_convertible_v<Safe, decltype(tl_backend::device_count)>);
  check_refused("thrower", "its entry refused: thrown inside (status -5)");
}

TEST_CASE("G07: a missing library is named, with who needs it") {
  Zoo zoo;
  zoo.put("good");
  zoo.put("dependent");
  const Outcome missing = zoo.probe({"open", "dependent", "sum", "good"});
  CHECK_SAYS(missing,
             zoo.plugin("dependent.so") + " can't be used: needs libzoodep.so, which can't be found");
  CHECK_SAYS(missing, "sum 4");
  // Beside the plug-in it isn't looked for, unless the plug-in says so.
  zoo.put("libzoodep", "plugins/libzoodep.so");
  CHECK_SAYS(zoo.probe({"open", "dependent"}), "needs libzoodep.so, which can't be found");
  zoo.run("rm plugins/dependent.so");
  zoo.put("dependent_origin");
  CHECK_SAYS(zoo.probe({"open", "dependent"}), "opened dependent");
}

TEST_CASE("G07: a library that is missing further down is named, too") {
  Zoo zoo;
  zoo.put("indirect");
  zoo.put("libzoomid", "plugins/libzoomid.so");
  const Outcome outcome = zoo.probe({"open", "indirect"});
  CHECK_SAYS(outcome,
             "can't be used: libzoomid.so, which it needs, needs libzoodep.so, which can't be found");
  zoo.put("libzoodep", "plugins/libzoodep.so");
  CHECK_SAYS(zoo.probe({"open", "indirect"}), "opened indirect");
}

TEST_CASE("G07: an undefined symbol is found when the file is loaded, not in the first call") {
  Zoo zoo;
  zoo.put("undefined");
  const Outcome outcome = zoo.probe({"open", "undefined"});
  CHECK_SAYS(outcome, "undefined symbol: zoo_nowhere");
}

TEST_CASE("devices: memory that can't be reached is refused") {
  Zoo zoo;
  zoo.put("blind");
  CHECK_SAYS(zoo.probe({"open", "blind"}),
             "error: device blind has memory of its own, but its table lacks allocate");
}

TEST_CASE("E09: after a failure the same may be tried again") {
  Zoo zoo;
  zoo.put("cannot_open");
  const Outcome device = zoo.probe({"devices", "candidates", "open", "cannot_open"});
  CHECK_SAYS(
      device,
      "candidate cannot_open.so|cannot_open|1.0|loaded|device cannot_open can't be opened: device "
      "failed: somebody else has it\nopened cannot_open");
  zoo.put("dependent", "later/dependent.so");
  const Outcome file = zoo.probe({"load", zoo.path("later/dependent.so")});
  CHECK_SAYS(file, "can't be used: needs libzoodep.so");
  const Outcome again = zoo.probe({"load", zoo.path("later/dependent.so"), "setenv", "NOTHING", "1",
                                   "load", zoo.path("later/dependent.so")});
  CHECK(again.output.find("error: ") != again.output.rfind("error: "));  // asked again, looked again
}

TEST_CASE("S03: a plug-in's symbols are not visible to others") {
  Zoo zoo;
  zoo.put("good");
  CHECK_SAYS(zoo.probe({"open", "good", "mapped", "good.so", "global", "torchlight_plugin_v1"}),
             "torchlight_plugin_v1 is not global");
  CHECK_SAYS(zoo.probe({"global", "probe_open"}), "probe_open is global");  // the control
}
