// conformance FILE [--isa NAME] [--complete] [--part NAME] [--only TEXT] [--random N] [--seed N|-] [--most N]
//   [--slack N] [--reference FILE] [--set NAME=VALUE]… [--json FILE] [--activity FILE]
//
// Tries everything that plugin.h asks of a plug-in on the given file. Status 0: it conforms; 1: it
// doesn't; 2: it can't be opened; 3: it crashed; 77: this processor lacks the instruction set. With --part speed
// the plug-in of --reference is timed beside it. The plug-in finds no settings but those of --set. FILE of --activity always holds the name of the case that is being tried, closed by a 0.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "conformance.h"
#include "guarded.h"

namespace {

using namespace torchlight::test;

struct Command {
  std::string file, isa, reference, json, activity;
  std::map<std::string, std::string> settings;
  Options options;
};

[[noreturn]] void usage() {
  std::fputs(
      "conformance FILE [--isa NAME] [--complete] [--part NAME] [--only TEXT] [--random N] [--seed "
      "N|-]\n"
      "  [--most N] [--slack N] [--reference FILE] [--set NAME=VALUE] [--json FILE] [--activity "
      "FILE]\n",
      stderr);
  exit(2);
}

/// "-" is read from standard input: what stands in an argument, the plug-in can read.
std::uint64_t seed(std::string word) {
  if (word == "-" && !(std::cin >> word)) usage();
  return std::stoull(word);
}

void add_setting(const std::string& word, std::map<std::string, std::string>& settings) {
  const std::size_t at = word.find('=');
  if (at == word.npos) usage();
  settings[word.substr(0, at)] = word.substr(at + 1);
}

Command parse(int argc, char** argv) {
  Command command;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : (usage(), ""); };
    if (word == "--isa")
      command.isa = value();
    else if (word == "--activity")
      command.activity = value();
    else if (word == "--set")
      add_setting(value(), command.settings);
    else if (word == "--reference")
      command.reference = value();
    else if (word == "--part")
      command.options.part = value();
    else if (word == "--only")
      command.options.only = value();
    else if (word == "--random")
      command.options.random_cases = std::stoull(value());
    else if (word == "--seed")
      command.options.seed = seed(value());
    else if (word == "--slack")
      command.options.slack = std::stod(value());
    else if (word == "--most")
      command.options.most_failures = std::stoull(value());
    else if (word == "--json")
      command.json = value();
    else if (word == "--complete")
      command.options.complete = true;
    else if (command.file.empty() && word[0] != '-')
      command.file = word;
    else
      usage();
  }
  if (command.file.empty()) usage();
  return command;
}

bool processor_has(const std::string& isa) {
#if defined(__x86_64__)
  if (isa == "avx2") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == "avx512") return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return isa.empty() || isa == "sse2";
#else
  return isa.empty() || isa == "neon";
#endif
}

void share_activity(const std::string& path) {
  constexpr std::size_t size = 512;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* const memory = file < 0 || ftruncate(file, size) != 0
                           ? MAP_FAILED
                           : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) throw PluginError("can't use the file of --activity: " + path);
  keep_activity_in({static_cast<char*>(memory), size});
  close(file);
}

int run(const Command& command) {
  std::map<std::string, std::string> settings = command.settings;
  if (!command.isa.empty()) settings["TORCHLIGHT_SIMD"] = command.isa;
  const TestHost host(settings);
  const std::unique_ptr<char, void (*)(void*)> path(realpath(command.file.c_str(), nullptr), free);
  if (!path) throw PluginError("no file " + command.file);
  const Plugin plugin(path.get(), host);
  std::printf("%s %s: %s\n", plugin.table().name, plugin.table().version, plugin.info().description);
  if (!command.isa.empty() && command.isa != plugin.info().instruction_set) {
    throw PluginError("runs " + std::string(plugin.info().instruction_set) + " though " + command.isa +
                      " is set");
  }
  std::optional<Plugin> reference;
  Options options = command.options;
  if (!command.reference.empty()) options.reference = &reference.emplace(command.reference, host);
  const Report report = conform(plugin, options, [](const Failure& f) {
    std::printf("FAILED %s [%s]: %s\n", f.name.c_str(), f.check.c_str(), f.text.c_str());
  });
  std::printf("%llu cases done, %llu declined, %zu failures; random cases from seed %llu\n",
              static_cast<unsigned long long>(report.done),
              static_cast<unsigned long long>(report.declined), report.failures.size(),
              static_cast<unsigned long long>(command.options.seed));
  if (!command.json.empty()) std::ofstream(command.json) << to_json(report);
  return report.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Command command = parse(argc, argv);
  if (!processor_has(command.isa)) {
    std::printf("this processor has no %s\n", command.isa.c_str());
    return 77;
  }
  report_crashes();
  if (!command.activity.empty()) share_activity(command.activity);
  set_current_activity("opening the plug-in");
  try {
    return run(command);
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n", error.what());
    return 2;
  }
}
