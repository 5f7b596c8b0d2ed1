// What takes a whole process: threads, forks, constructors, exits, the floating-point mode, elevation.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zoo.h"

using test::Environment;
using test::Outcome;
using test::run_child;
using test::Zoo;

TEST_CASE("G13: first use from many threads loads once, and all see the same") {
  Zoo zoo;
  zoo.put("good");
  for (int i = 0; i < 200; ++i) {
    const Outcome outcome = zoo.probe({"race", "good", "16"});
    CHECK_SAYS(outcome, "race: 1 device, 1 entry, 0 wrong");
    if (!outcome.says("race: 1 device, 1 entry, 0 wrong")) break;
  }
}

TEST_CASE("G13: a plug-in that takes its time is loaded once, too") {
  Zoo zoo;
  zoo.put("slow");
  CHECK_SAYS(zoo.probe({"race", "slow", "64"}), "race: 1 device, 1 entry, 0 wrong");
}

TEST_CASE("G13: the library can be used in static initialisers and destructors") {
  Zoo zoo;
  zoo.put("good");
  const Outcome outcome =
      run_child({zoo.path("early_probe")}, {{"TORCHLIGHT_PLUGIN_PATH", zoo.path("plugins")}});
  CHECK(outcome.ended_well());
  CHECK(outcome.output == "early: good\nmain: good\nlate: good\n");
}

TEST_CASE("D13: a plug-in's constructor may use another device, but not its own") {
  Zoo zoo;
  zoo.put("nested");
  zoo.put("good");
  const Outcome other = zoo.probe({"open", "nested"}, {{"ZOO_NESTED", "good"}});
  CHECK_SAYS(other, "inside opened good\nopened nested\n");
  const Outcome self = zoo.probe({"open", "nested"}, {{"ZOO_NESTED", "nested"}});
  CHECK_SAYS(self, "inside error: plug-in " + zoo.plugin("nested.so") +
                       " asks for itself while it is being loaded");
  CHECK_SAYS(self, "opened nested");
  CHECK_SAYS(zoo.probe({"race", "nested", "16"}, {{"ZOO_NESTED", "good"}}),
             "race: 1 device, 1 entry, 0 wrong");
}

TEST_CASE(
    "D13: a constructor that holds the dynamic loader's lock and a thread that loads don't wait for "
    "each other") {
  Zoo zoo;
  zoo.put("slow");
  zoo.put("asking", "asking.so");
  const Outcome outcome = zoo.probe({"cross", zoo.path("asking.so"), "slow"}, {{"ZOO_NESTED", "slow"}});
  CHECK_SAYS(outcome, "inside opened slow");
  CHECK_SAYS(outcome, "thread opened slow");
}

TEST_CASE("D07: finding doesn't load: a plug-in that isn't asked for costs nothing") {
  Zoo zoo;
  zoo.put("marked");
  zoo.put("good");
  const Outcome outcome = zoo.probe({"candidates", "open", "good", "mapped", "marked.so"},
                                    {{"ZOO_MARKER", zoo.path("mark")}});
  CHECK_SAYS(outcome, "candidate marked.so|marked|1.0|found|");
  CHECK_SAYS(outcome, "not mapped marked.so");
  zoo.run("test ! -e mark");
}

TEST_CASE("E06: a loaded plug-in stays mapped") {
  Zoo zoo;
  zoo.put("good");
  CHECK_SAYS(zoo.probe({"race", "good", "16", "mapped", "good.so"}), "\nmapped good.so");
}

TEST_CASE(
    "H02: a plug-in that changes the floating-point mode is undone when it loads, and found out when "
    "it computes") {
  Zoo zoo;
  zoo.put("floating_mode");
  const std::string right = "floating mode: nearest, 1/3 is 0x3eaaaaab";
  const Outcome outcome = zoo.probe({"open", "floating_mode", "mode", "prepare", "floating_mode",
                                     "mode", "open", "floating_mode", "candidates"});
  CHECK_SAYS(outcome, "opened floating_mode\n" + right);
  const std::string wrong =
      "device floating_mode is rejected: map add_scalar of float32 leaves the floating-point mode "
      "changed";
  CHECK_SAYS(outcome, "error: " + wrong + "\n" + right);
  CHECK_SAYS(outcome, "candidate floating_mode.so|floating_mode|1.0|rejected|" + wrong);
}

TEST_CASE("the self-check finds a primitive that checks nothing by itself, and a senseless workspace") {
  Zoo zoo;
  for (const char* name : {"careless", "greedy"}) zoo.put(name);
  const Outcome outcome = zoo.probe({"prepare", "careless", "prepare", "greedy"});
  CHECK_SAYS(outcome, "error: device careless is rejected: map of function 65534 was done");
  CHECK_SAYS(outcome,
             "error: device greedy is rejected: map add_scalar of float32: supports asks for a "
             "workspace of 1152921504606846976 bytes");
}

TEST_CASE("C10: a device that computes wrong numbers is rejected with these numbers") {
  Zoo zoo;
  for (const char* name : {"wrong_sum", "wrong_add", "wrong_optim", "overrun", "false_promise", "good"})
    zoo.put(name);
  const Outcome outcome =
      zoo.probe({"prepare", "wrong_sum", "prepare", "overrun", "prepare", "false_promise", "open",
                 "wrong_sum,good", "prepare", "good", "candidates"});
  CHECK_SAYS(outcome,
             "error: device wrong_sum is rejected: reduce sum of float32 gave 6.25 where 6 is right "
             "(element 0)");
  CHECK_SAYS(outcome,
             "error: device overrun is rejected: zip mul of float32 wrote outside of its output");
  CHECK_SAYS(
      outcome,
      "error: device false_promise is rejected: map relu of float32 was promised and then refused");
  CHECK_SAYS(outcome, "opened good\nprepared good");
  const Outcome others = zoo.probe({"prepare", "wrong_add", "prepare", "wrong_optim"});
  CHECK_SAYS(others,
             "error: device wrong_add is rejected: zip add of float32 gave -9 where 11 is right "
             "(element 0)");
  CHECK_SAYS(others,
             "error: device wrong_optim is rejected: optim sgd by Nesterov of float32 gave 0.375 where "
             "0.3125 is right (element 0)");
  CHECK_SAYS(outcome,
             "candidate wrong_sum.so|wrong_sum|1.0|rejected|device wrong_sum is rejected: reduce sum");
}

TEST_CASE("E08: after a fork device backends say so, and host backends go on") {
  Zoo zoo;
  zoo.put("good");
  zoo.run("cp " REMOTE_PLUGIN " plugins/");
  const Outcome outcome = zoo.probe({"open", "remote", "open", "good", "sync", "remote", "fork",
                                     "remote", "fork", "good", "sync", "remote", "sum", "good"});
  CHECK_SAYS(outcome, "error: device remote was opened before this process was forked");
  CHECK_SAYS(outcome, "start worker processes by spawn or exec\nchild ended well");
  CHECK_SAYS(outcome, "sum 4\nused good\nchild ended well\nsynchronized remote\nsum 4");
}

TEST_CASE("E08: a fork before first use is no fork at all") {
  Zoo zoo;
  zoo.run("cp " REMOTE_PLUGIN " plugins/");
  CHECK_SAYS(zoo.probe({"fork", "remote", "open", "remote"}),
             "used remote\nchild ended well\nopened remote");
}

TEST_CASE("S01: in an elevated process the environment names no places, and one message says so") {
  Zoo zoo;
  zoo.put("good");
  zoo.put("good", "torchlight/plugins/good.so");
  // A setuid program run by nobody is elevated; only root can make one.
  if (::geteuid() != 0) {
    MESSAGE(
        "not root, so no setuid program can be made: the environment's part is tested by secure_getenv "
        "itself");
    return;
  }
  zoo.run("chmod 4755 probe");
  const Outcome outcome =
      run_child({"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                 zoo.path("probe"), "candidates", "open", "nothing"},
                {{"TORCHLIGHT_PLUGIN_PATH", zoo.path("plugins")}});
  CHECK(outcome.ended_well());
  CHECK(outcome.logged("TORCHLIGHT_PLUGIN_PATH is ignored") == 1);
  CHECK_FALSE(outcome.says(zoo.path("plugins") + " ("));
  CHECK_SAYS(outcome, zoo.path("torchlight/plugins") + " (beside the core library)");
  CHECK_SAYS(outcome, "candidate good.so|good|1.0|found|");
}
