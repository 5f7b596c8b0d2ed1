// --launch: kernels alone, on arguments from the command line.
#include <cstdio>

#include "build.h"
#include "fault.h"
#include "launch_text.h"
#include "output.h"
#include "show_profile.h"
#include "supervise.h"
#include "type.h"

namespace twin_command {
namespace {

using Json = nlohmann::ordered_json;

/// What can be found wrong without a compiler.
void look_over(const Options& options) {
  want_readable(options.files);
  want_writable(options);
  for (const std::string& text : options.launches) parse_launch(text);
  for (const std::string& text : options.saves)
    if (!assignment(text, "--save").second.ends_with(".npy"))
      throw BadInput("--save is NAME=FILE.npy, not \"" + text + "\"");
  for (const std::string& text : options.expectations) {
    const auto [name, right] = assignment(text, "--expect");
    if (right.ends_with(".npy")) want_readable({right});
  }
}

struct Outcome {
  Ended ended;
  Json report;
  Json profile;
  bool passed = false;
  std::string error;
};

Outcome run_once(const Options& options, const std::vector<std::string>& words, std::uint64_t seed) {
  MemoryFile report("report"), profile("profile");
  Options limited = options;
  if (limited.time_limit <= 0) limited.time_limit = 60;
  Child child{{own_program()}};
  child.command.insert(child.command.end(), words.begin(), words.end());
  child.environment = manner_of(limited, seed);
  child.environment.emplace_back("TWIN_WORKER", report.path());
  if (options.profile && seed == 0) child.environment.emplace_back("TWIN_PROFILE", profile.path());
  if (json_to_stdout(options)) child.out = 2;
  child.limits = {limited.time_limit, options.memory_limit};
  Outcome outcome{supervise(child), Json::parse(report.content(), nullptr, false), Json(), false, {}};
  outcome.profile = Json::parse(profile.content(), nullptr, false);
  if (outcome.report.is_discarded()) {
    outcome.error = "the kernels' process " + text_of(outcome.ended, child.limits);
    outcome.report = Json::object();
  } else if (outcome.report.contains("error")) {
    outcome.error = outcome.report["error"];
  }
  outcome.passed =
      outcome.ended.well() && outcome.error.empty() && outcome.report.value("reports", "").empty();
  for (const Json& launch : outcome.report.value("launches", Json::array()))
    outcome.passed = outcome.passed && launch["error"] == "";
  for (const Json& one : outcome.report.value("expectations", Json::array()))
    outcome.passed = outcome.passed && one["passed"] == true;
  return outcome;
}

void say(const Outcome& outcome, std::FILE* to) {
  std::fflush(stdout);
  if (!outcome.error.empty()) return (void)std::fprintf(stderr, "twin: %s\n", outcome.error.c_str());
  const std::vector<Fault> faults = faults_of(outcome.report.value("reports", ""));
  for (const Fault& fault : faults) std::fprintf(stderr, "%s\n", shown(fault).c_str());
  for (const Json& launch : outcome.report.value("launches", Json::array()))
    if (launch["error"] != "" && faults.empty())
      std::fprintf(stderr, "error: %s: %s\n", launch["launch"].get<std::string>().c_str(),
                   launch["error"].get<std::string>().c_str());
  for (const Json& one : outcome.report.value("expectations", Json::array()))
    std::fprintf(one["passed"] == true ? to : stderr, "%s%s\n",
                 one["passed"] == true ? "" : "error: ", one["text"].get<std::string>().c_str());
}

Json json_of(const Outcome& outcome, std::uint64_t seed) {
  Json json{{"seed", seed},
            {"passed", outcome.passed},
            {"seconds", outcome.ended.seconds},
            {"megabytes", outcome.ended.megabytes}};
  if (!outcome.error.empty()) json["error"] = outcome.error;
  json["launches"] = outcome.report.value("launches", Json::array());
  json["expectations"] = outcome.report.value("expectations", Json::array());
  json["faults"] = Json::array();
  for (const Fault& fault : faults_of(outcome.report.value("reports", "")))
    json["faults"].push_back(twin_command::json_of(fault));
  return json;
}

}  // namespace

int run_launches(const Options& options, const std::vector<std::string>& words) {
  look_over(options);
  std::FILE* const to = json_to_stdout(options) ? stderr : stdout;
  const Outcome first = run_once(options, words, 0);
  say(first, to);
  if (first.ended.status == bad_input && !first.error.empty()) {
    write_verdict(
        options,
        {{"command", "launch"}, {"files", options.files}, {"passed", false}, {"error", first.error}});
    return bad_input;
  }
  Json runs = Json::array({json_of(first, 0)});
  bool passed = first.passed;
  std::uint64_t bad_seeds = 0;
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const Outcome again = run_once(options, words, seed);
    if (!again.passed) {
      ++bad_seeds;
      std::fprintf(stderr, "twin: seed %llu failed\n", static_cast<unsigned long long>(seed));
      say(again, stderr);
    }
    runs.push_back(json_of(again, seed));
  }
  if (options.seeds)
    std::fprintf(to, "%llu of %llu permuted schedules passed\n",
                 static_cast<unsigned long long>(options.seeds - bad_seeds),
                 static_cast<unsigned long long>(options.seeds));
  passed = passed && bad_seeds == 0;
  if (passed)
    std::fprintf(to, "passed: %zu launches, %zu expectations\n", options.launches.size(),
                 options.expectations.size());
  if (options.profile && first.profile.is_array()) std::fputs(shown_profile(first.profile).c_str(), to);
  Json verdict{{"command", "launch"}, {"files", options.files}, {"passed", passed}, {"runs", runs}};
  if (options.profile) verdict["profile"] = first.profile.is_array() ? first.profile : Json();
  write_verdict(options, verdict);
  return passed ? done : failed;
}

}  // namespace twin_command
