// Which file has a name, and how devices are asked for.
#include <doctest/doctest.h>

#include "zoo.h"

using test::Outcome;
using test::with_note;
using test::Zoo;
using test::zoo_bytes;

TEST_CASE("G09: of two plug-ins with one name the first by file name wins, and both are named") {
  Zoo zoo;
  zoo.put("good", "plugins/b.so");
  zoo.put("good", "plugins/a.so");  // made later, comes first
  const Outcome outcome = zoo.probe({"candidates", "open", "good", "mapped", "a.so", "mapped", "b.so"});
  CHECK_SAYS(outcome, "candidate a.so|good|1.0|found|\n");
  CHECK_SAYS(outcome, "candidate b.so|good|1.0|duplicate|the name good belongs to " +
                          zoo.plugin("a.so") + ", which comes first");
  CHECK(outcome.logged("belongs to " + zoo.plugin("a.so")) == 1);
  CHECK_SAYS(outcome, "\nmapped a.so");
  CHECK_SAYS(outcome, "not mapped b.so");
}

TEST_CASE("G09: the same file by two names is one plug-in") {
  Zoo zoo;
  zoo.put("good", "plugins/good.so");
  zoo.run(
      "cd plugins && ln -s good.so link.so && ln good.so hard.so && mkdir ../more && ln -s ../plugins "
      "../more/dir");
  const Outcome outcome =
      zoo.probe({"candidates", "devices"},
                {{"TORCHLIGHT_PLUGIN_PATH", zoo.path("plugins") + ":" + zoo.path("more/dir")}});
  CHECK_SAYS(outcome, "candidate hard.so|good|1.0|duplicate|the same file as " + zoo.plugin("good.so"));
  CHECK_SAYS(outcome, "candidate link.so|good|1.0|duplicate|the same file as " + zoo.plugin("good.so"));
  CHECK_SAYS(outcome, "candidate good.so|good|1.0|found|");
  CHECK(outcome.output.find("candidate link.so") == outcome.output.rfind("candidate link.so"));
}

TEST_CASE("G09: cpu is reserved: a dropped file can't take its place") {
  Zoo zoo;
  zoo.put("cpu_simd", "torchlight/plugins/cpu_simd.so");  // beside the core: the shipped one
  zoo.put("cpu_simd", "plugins/cpu_simd.so");
  zoo.put("cpu", "plugins/cpu.so");
  const std::vector<std::string> arguments{"open",
                                           "cpu",
                                           "open",
                                           "cpu_simd",
                                           "candidates",
                                           "mapped",
                                           zoo.path("torchlight/plugins/cpu_simd.so"),
                                           "mapped",
                                           zoo.plugin("cpu_simd.so")};
  const Outcome outcome = zoo.probe(arguments);
  CHECK_SAYS(outcome, "opened cpu\nopened cpu\n");
  CHECK_SAYS(outcome, "\nmapped " + zoo.path("torchlight/plugins/cpu_simd.so"));
  CHECK_SAYS(outcome, "not mapped " + zoo.plugin("cpu_simd.so"));
  CHECK_SAYS(outcome,
             "candidate cpu.so|cpu|1.0|rejected|the name cpu is reserved for the shipped cpu_simd");
  CHECK_SAYS(
      outcome,
      "candidate cpu_simd.so|cpu_simd|1.0|rejected|the name cpu_simd is reserved for the shipped "
      "plug-in, " +
          zoo.path("torchlight/plugins/cpu_simd.so"));
  for (const char* file : {"cpu.so", "cpu_simd.so"})
    CHECK_SAYS(zoo.probe({"load", zoo.plugin(file), "open", "cpu"}), "is reserved for the shipped");
}

TEST_CASE("names: an index beyond the first is part of the name") {
  Zoo zoo;
  zoo.put("two_devices");
  const Outcome outcome =
      zoo.probe({"open", "two_devices:1", "open", "two_devices:0", "open", "two_devices:2", "devices"});
  CHECK_SAYS(outcome, "opened two_devices:1\nopened two_devices\n");
  CHECK_SAYS(outcome, "error: device \"two_devices:2\": plug-in " + zoo.plugin("two_devices.so") +
                          " has 2 device(s)");
  CHECK_SAYS(outcome, "device two_devices|host|map zip reduce matmul \ndevice two_devices:1|host|");
}

TEST_CASE("G08: an unknown device is an error that says what is known and where it was looked for") {
  Zoo zoo;
  zoo.put("good", "torchlight/plugins/good.so");
  zoo.put("cpu_simd", "torchlight/plugins/cpu_simd.so");
  zoo.write("plugins/broken.so", zoo_bytes("good").substr(0, 1000));
  const auto ask = [&](const char* name) {
    return zoo.probe({"default"}, {{"TORCHLIGHT_DEVICE", name}});
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"cpux", "device \"cpux\": no plug-in of this name was found"},
      {"gpu", "device \"gpu\": no plug-in of this name was found"},
      {"CPU", "device \"CPU\": not a name"},
      {"cpu ", "device \"cpu \": not a name"},
      {" ", "device \" \": not a name"},
      {"cpu:99", "device \"cpu:99\": plug-in "},
      {"cpu:", "\"\" is not an index"},
      {"cpu:01", "\"01\" is not an index"},
      {"cpu:-1", "\"-1\" is not an index"},
      {"cpu,", "devices \"cpu,\": entry 2 of the list is empty"},
      {"good,CPU", "device \"CPU\": not a name"},
      {"cuda", "there is no cuda plug-in here. It is built with NVIDIA's CUDA toolkit"},
  };
  for (const auto& [names, message] : wrong) {
    const char* const name = names;  // clang 14 captures no binding
    CAPTURE(name);
    const Outcome outcome = ask(name);
    CHECK_SAYS(outcome, std::string("error: TORCHLIGHT_DEVICE: "));
    CHECK_SAYS(outcome, message);
    CHECK_SAYS(outcome, "known devices: cpu, good");
    CHECK_SAYS(outcome, zoo.path("plugins") + " (TORCHLIGHT_PLUGIN_PATH)");
    CHECK_SAYS(outcome, zoo.path("torchlight/plugins") + " (beside the core library)");
    CHECK_SAYS(outcome, zoo.plugin("broken.so") + ": truncated: ");
    CHECK_FALSE(outcome.says("default cpu"));
  }
  CHECK_SAYS(ask(""), "default cpu\n");
  CHECK_SAYS(ask("cpu_simd"), "default cpu\n");
  CHECK_SAYS(ask("cuda,good"), "default good\n");
  CHECK_SAYS(ask("cuda,gpu"), "error: TORCHLIGHT_DEVICE: none of the devices asked for can be had:");
}

TEST_CASE("names: the default is what was set, else the environment as it is now, else cpu") {
  Zoo zoo;
  zoo.put("good");
  zoo.put("two_devices");
  zoo.put("cpu_simd", "torchlight/plugins/cpu_simd.so");
  const Outcome outcome =
      zoo.probe({"default", "setenv", "TORCHLIGHT_DEVICE", "good", "default", "setenv",
                 "TORCHLIGHT_DEVICE", "two_devices:1", "default", "choose", "good", "default", "setenv",
                 "TORCHLIGHT_DEVICE", "cpu", "default"});
  CHECK_SAYS(outcome, "default cpu\ndefault good\ndefault two_devices:1\ndefault good\ndefault good\n");
}

TEST_CASE("names: a file given by path comes before all others") {
  Zoo zoo;
  zoo.put("good");
  zoo.write("mine/good.so", with_note(zoo_bytes("good"), [](tl_note& note) { note.version[0] = '9'; }));
  zoo.put("marked", "mine/marked.so");
  const std::string mine = zoo.path("mine/good.so");
  const Outcome before = zoo.probe({"load", zoo.path("mine/marked.so"), "candidates", "load", mine});
  CHECK_SAYS(before, "loaded marked\ncandidate marked.so|marked|1.0|loaded|");
  CHECK_SAYS(before, "error: plug-in " + mine +
                         " can't be used: its table is of version \"1.0\", its note of \"9.0\"");
  // Once the other one works, there is no taking its place.
  CHECK_SAYS(zoo.probe({"open", "good", "load", mine}),
             "can't be used: the name good belongs to " + zoo.plugin("good.so") + ", which is in use");
  CHECK_SAYS(zoo.probe({"open", "good", "load", zoo.plugin("good.so")}), "loaded good");
  const auto refuses = [&](const std::string& path, const char* reason) {
    CHECK_SAYS(zoo.probe({"load", path}), "error: plug-in " + path + " can't be used: " + reason);
  };
  refuses("mine/good.so", "a relative path");
  refuses("/no/such/file.so", "no such file");
  refuses("/etc/hostname", "not an ELF file");
}
