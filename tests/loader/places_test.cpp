// Where plug-ins are looked for, and whose are accepted.
#include <doctest/doctest.h>
#include <unistd.h>

#include "zoo.h"

using test::Environment;
using test::Outcome;
using test::with_note;
using test::Zoo;
using test::zoo_bytes;

namespace {

/// The same plug-in, but of this version.
std::string of_version(char first) {
  return with_note(zoo_bytes("good"), [&](tl_note& note) { note.version[0] = first; });
}

/// The version that has the name `good`.
std::string winner(const Zoo& zoo, const Environment& environment,
                   const std::vector<std::string>& before = {}) {
  std::vector<std::string> arguments = before;
  arguments.emplace_back("candidates");
  const Outcome outcome = zoo.probe(arguments, environment);
  const std::size_t end = outcome.output.find("|found|");
  return end == std::string::npos ? "none" : outcome.output.substr(end - 3, 3);
}

}  // namespace

TEST_CASE(
    "D01: the order is PLUGIN_PATH, CUDA_KERNEL_DIR, beside the core, and never the current "
    "directory") {
  Zoo zoo;
  zoo.write("kernels/good.so", of_version('3'));
  zoo.write("torchlight/plugins/good.so", of_version('4'));
  zoo.write("plugins/good.so", of_version('2'));
  const Environment both{{"TORCHLIGHT_CUDA_KERNEL_DIR", zoo.path("kernels")}};
  CHECK(winner(zoo, both) == "2.0");
  zoo.run("rm plugins/good.so");
  CHECK(winner(zoo, both) == "3.0");
  zoo.run("rm kernels/good.so");
  for (const std::string& directory : {zoo.path(""), zoo.path("plugins"), std::string("/")})
    CHECK(winner(zoo, both, {"chdir", directory}) == "4.0");
  zoo.run("mv torchlight/plugins/good.so .");
  CHECK(winner(zoo, both, {"chdir", zoo.path("")}) == "none");
}

TEST_CASE(
    "D02: within a directory files come by byte order, not by age, and it is not searched further") {
  Zoo zoo;
  for (const char* name : {"b", "Z", "a", "10", "9"})
    zoo.put("good", std::string("plugins/") + name + ".so");
  zoo.put("good", "plugins/deeper/0.so");
  const std::string output = zoo.probe({"candidates"}).output;
  std::size_t last = 0;
  for (const char* name : {"10.so", "9.so", "Z.so", "a.so", "b.so"}) {
    const std::size_t at = output.find(std::string("candidate ") + name);
    CHECK(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
  CHECK(output.find("candidate deeper|||ignored|a directory") != std::string::npos);
  CHECK(output.find("0.so|good") == output.find("10.so|good") + 1);
}

TEST_CASE("D03: entries may be files or directories, however they are written") {
  Zoo zoo;
  zoo.put("good");
  zoo.put("marked", "single/marked.so");
  for (const std::string& directory :
       {zoo.path("plugins/"), zoo.path("/plugins//"), zoo.path("single/../plugins")}) {
    const Outcome outcome =
        zoo.probe({"candidates", "sum", "good", "open", "marked"},
                  {{"TORCHLIGHT_PLUGIN_PATH", directory + ":" + zoo.path("single/marked.so")}});
    CHECK_SAYS(outcome, "candidate good.so|good|1.0|found|");
    CHECK_SAYS(outcome, "sum 4");
    CHECK_SAYS(outcome, "opened marked");
  }
}

TEST_CASE("G04: places that can't be searched are named once, and the rest works") {
  Zoo zoo;
  zoo.put("good");
  zoo.write("text", "no plug-in");
  const auto with = [&](const std::string& before) {
    return zoo.probe({"candidates", "sum", "good", "open", "nothing"},
                     {{"TORCHLIGHT_PLUGIN_PATH", before + ":" + zoo.path("plugins")}});
  };
  const auto check = [&](const std::string& entry, const std::string& reason) {
    const Outcome outcome = with(entry);
    CHECK_SAYS(outcome, "sum 4");
    CHECK(outcome.logged(entry + ": " + reason) == 1);
    CHECK_SAYS(outcome, reason);  // and once more in the error
  };
  check("/no/such/place", "No such file or directory");
  check(zoo.path("text"), "not an ELF file");
  check("relative/place", "a relative path: write it from / on");
  check(".", "a relative path: write it from / on");
  const Outcome empty = with("");
  CHECK(empty.logged("an empty entry is ignored") == 1);
  CHECK_SAYS(empty, "sum 4");
}

TEST_CASE("G04: a current directory that is gone does no harm") {
  Zoo zoo;
  zoo.put("good");
  zoo.make_directory("gone");
  const Outcome outcome =
      zoo.probe({"chdir", zoo.path("gone"), "rmdir", zoo.path("gone"), "sum", "good"},
                {{"TORCHLIGHT_PLUGIN_PATH", "plugins:" + zoo.path("plugins")}});
  CHECK_SAYS(outcome, "sum 4");
}

TEST_CASE("G04: what the user may not read is named, and the rest works") {
  // As root nothing is unreadable, so the child becomes nobody; where it isn't root it is somebody already.
  Zoo zoo;
  zoo.put("good");
  zoo.put("marked");
  zoo.put("slow", "closed/slow.so");
  zoo.run("chmod 000 plugins/marked.so closed");
  std::vector<std::string> arguments{"candidates", "open", "good", "open", "nothing"};
  if (::geteuid() == 0) arguments.insert(arguments.begin(), "nobody");
  const Outcome outcome = zoo.probe(
      arguments, {{"TORCHLIGHT_PLUGIN_PATH", zoo.path("closed") + ":" + zoo.path("plugins")}});
  CHECK_SAYS(outcome, "candidate marked.so|||rejected|cannot be read: Permission denied");
  CHECK(outcome.logged(zoo.path("closed") + ": cannot be read: Permission denied") == 1);
  CHECK_SAYS(outcome,
             zoo.path("closed") + " (TORCHLIGHT_PLUGIN_PATH): cannot be read: Permission denied");
  CHECK_SAYS(outcome, "opened good");
  zoo.run("chmod 755 closed");
}

TEST_CASE("S02: files that others could have written are refused, unless TORCHLIGHT_TRUST_ALL=1") {
  Zoo zoo;
  zoo.put("good");
  const Environment trusting{{"TORCHLIGHT_TRUST_ALL", "1"}};
  const auto check = [&](const std::string& reason) {
    const Outcome outcome = zoo.probe({"open", "good", "candidates"});
    CHECK_SAYS(outcome, "candidate good.so|good|1.0|rejected|" + reason +
                            "; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it");
    CHECK_FALSE(outcome.says("opened good"));
    CHECK_SAYS(zoo.probe({"open", "good"}, trusting), "opened good");
  };
  zoo.run("chmod o+w plugins/good.so");
  check("others can write it");
  zoo.run("chmod o-w plugins/good.so && chmod o+w plugins");
  check("others can replace it, since they can write the directory " + zoo.path("plugins"));
  zoo.run("chmod +t plugins");  // now they can't
  CHECK_SAYS(zoo.probe({"open", "good"}), "opened good");
  CHECK_SAYS(zoo.probe({"open", "good"}, {{"TORCHLIGHT_TRUST_ALL", "yes"}}), "opened good");
  CHECK(zoo.probe({"open", "good"}, {{"TORCHLIGHT_TRUST_ALL", "yes"}}).logs("neither 0 nor 1"));
}

TEST_CASE("D14: path variables are read once") {
  Zoo zoo;
  zoo.put("good");
  zoo.put("marked", "more/marked.so");
  const Outcome outcome = zoo.probe({"open", "good", "setenv", "TORCHLIGHT_PLUGIN_PATH",
                                     zoo.path("more"), "open", "marked", "sum", "good"});
  CHECK_SAYS(outcome, "error: device \"marked\": no plug-in of this name was found");
  CHECK_SAYS(outcome, "sum 4");
}
