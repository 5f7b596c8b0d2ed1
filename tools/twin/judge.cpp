// --op: finds the user's function, feeds it, judges it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "build.h"
#include "exercise_case.h"
#include "fault.h"
#include "output.h"
#include "runtime/process.h"
#include "show_profile.h"
#include "text.h"

namespace twin_command {
namespace {

using Json = nlohmann::ordered_json;

struct Task {
  const Exercise* exercise = nullptr;
  Signature users;
  std::vector<Bound> bound;
  std::size_t file = 0;  // of Options::files
};

std::string usage_of(const std::string& op) {
  std::string text;
  for (const Exercise& one : exercises())
    if (op == one.op) text += std::string("\n  ") + one.declaration;
  return text;
}

/// The first signature that fits a function of the sources.
Task find_task(const Options& options) {
  if (usage_of(options.op).empty()) {
    std::string known;
    for (const Exercise& one : exercises())
      if (known.find(std::string(" ") + one.op + ",") == known.npos)
        known += std::string(" ") + one.op + ",";
    throw BadInput("there is no op " + options.op + "; there are" + known.substr(0, known.size() - 1));
  }
  std::string seen;
  for (std::size_t k = 0; k < options.files.size(); ++k) {
    std::string looked_for;
    std::vector<Signature> signatures;
    for (const Exercise& one : exercises()) {
      if (options.op != one.op) continue;
      const std::string name = signature_of(one.declaration).name;
      if (looked_for.find(name + " ") == looked_for.npos) {
        looked_for += name + " ";
        signatures = signatures_in(
            twin::Process::get().toolchain().syntax({options.files[k], options.compile, true}, name),
            name);
        for (const Signature& users : signatures) seen += "\n  " + shown(users);
      }
      for (const Signature& users : signatures)
        if (std::vector<Bound> bound = bind(one, users); !bound.empty())
          return {&one, users, std::move(bound), k};
    }
  }
  throw BadInput(
      (seen.empty() ? "there is no such function; " : "no function fits: there is" + seen + "\n") +
      options.op + " asks for" + usage_of(options.op));
}

/// A library with one function that takes all arguments by their places. It includes the user's file, so that it
/// doesn't matter how the function is declared.
std::string build_task(const Options& options, const Task& task) {
  std::string call = task.users.name + "(";
  for (std::size_t k = 0; k < task.users.parameters.size(); ++k)
    call += (k ? ", " : "") +
            format("*(std::remove_reference_t<decltype(torchlight_twin_nth<%zu>(%s))>*)places[%zu]", k,
                   task.users.name.c_str(), k);
  call += ")";
  const std::string source =
      "#include <tuple>\n#include <type_traits>\n#include \"" +
      std::filesystem::canonical(options.files[task.file]).string() +
      "\"\ntemplate <std::size_t n, class... T> std::remove_cv_t<std::tuple_element_t<n, "
      "std::tuple<T...>>>& torchlight_twin_nth(void (*)(T...));\n"
      "extern \"C\" void torchlight_twin_call(void** places) { " +
      call + "; }\n";
  std::vector<std::string> files = options.files;
  files[task.file] = kept_source(source);
  return build(files, options.compile, true);
}

struct Result {
  Ended ended;
  std::vector<Fault> faults;
  std::vector<Comparison> arrays;
  std::string problem;
  Json profile;
  bool passed = false;
};

class Judge {
 public:
  Judge(const Options& options, std::string library) : options_(options), library_(std::move(library)) {
    if (options_.time_limit <= 0) options_.time_limit = 10;
  }

  Result run(const Case& one, std::uint64_t schedule) {
    MemoryFile data("data"), plan_file("plan"), report("report"), reports("reports"),
        profile("profile");
    Json plan = one.plan(data);
    plan["library"] = library_;
    plan["report"] = report.path();
    const std::string text = plan.dump();
    plan_file.write(text.data(), text.size());
    Child child{{own_program(), "exercise-worker", plan_file.path()}};
    child.environment = manner_of(options_, schedule);
    child.environment.emplace_back("TWIN_REPORTS", reports.path());
    child.environment.emplace_back("TORCHLIGHT_TWIN_CACHE",
                                   twin::Process::get().toolchain().cache().directory());
    if (options_.profile && schedule == 0)
      child.environment.emplace_back("TWIN_PROFILE", profile.path());
    child.out = 2;  // the table has standard output
    child.limits = {options_.time_limit, options_.memory_limit};
    Result result;
    result.ended = supervise(child);
    result.faults = faults_of(reports.content());
    result.profile = Json::parse(profile.content(), nullptr, false);
    const Json said = Json::parse(report.content(), nullptr, false);
    if (!said.is_object())
      result.problem = result.ended.status == 0 && result.ended.signal == 0
                           ? "it ended the process"
                           : "it " + text_of(result.ended, child.limits);
    else
      result.problem = said["problem"];
    if (result.ended.out_of_time || result.ended.out_of_memory)
      result.problem = text_of(result.ended, child.limits);
    if (result.problem.empty()) result.arrays = one.judge(data, options_.tolerance);
    const bool right =
        !result.arrays.empty() && std::all_of(result.arrays.begin(), result.arrays.end(),
                                              [](const Comparison& c) { return c.passed; });
    result.passed = right && result.ended.well() && result.faults.empty();
    return result;
  }

 private:
  Options options_;
  std::string library_;
};

std::string text_of(const Result& result) {
  if (!result.faults.empty()) return shown(result.faults[0]);
  if (!result.problem.empty()) return result.problem;
  for (const Comparison& one : result.arrays)
    if (!one.passed) return one.text;
  double most = 0;
  for (const Comparison& one : result.arrays) most = std::max(most, one.largest_error);
  return format("at most %.2g of what is allowed", most);
}

Json json_of(const std::string& name, const Result& result, std::uint64_t bad_seed) {
  Json json{{"case", name},
            {"passed", result.passed},
            {"score", result.passed ? 1 : 0},
            {"text", text_of(result)},
            {"seconds", result.ended.seconds},
            {"megabytes", result.ended.megabytes}};
  if (bad_seed) json["schedule"] = bad_seed;
  json["arrays"] = Json::array();
  for (const Comparison& one : result.arrays) json["arrays"].push_back(json_of(one));
  json["faults"] = Json::array();
  for (const Fault& fault : result.faults) json["faults"].push_back(json_of(fault));
  return json;
}

}  // namespace

int list_exercises() {
  for (const Exercise& one : exercises())
    std::printf("%-16s %s\n%-16s %s%s\n", one.op, one.declaration, "", one.right,
                one.host_pointers ? "   (host pointers)" : "");
  return done;
}

int judge_exercise(const Options& options) {
  want_readable(options.files);
  want_writable(options);
  const Task task = find_task(options);
  std::FILE* const to = json_to_stdout(options) ? stderr : stdout;
  Judge judge(options, build_task(options, task));
  const std::uint64_t seed = options.seed.value_or(std::random_device()());
  const auto shown_seed = static_cast<unsigned long long>(seed);
  std::fprintf(to, "%s: %s\n", options.op.c_str(), shown(task.users).c_str());
  if (options.hide_seed)
    std::fputs("inputs from a seed that isn't shown\n", to);
  else
    std::fprintf(
        to,
        options.seed ? "inputs from seed %llu\n" : "inputs from seed %llu: again with --seed %llu\n",
        shown_seed, shown_seed);
  const auto cases = cases_of(*task.exercise);
  Json list = Json::array(), profile;
  std::size_t passed = 0;
  std::mt19937_64 seeds(seed);
  for (const auto& [sizes, fill] : cases) {
    const Case one(*task.exercise, task.bound, sizes, fill, seeds());
    Result result = judge.run(one, 0);
    if (result.profile.is_array()) profile = result.profile;
    std::uint64_t bad_seed = 0;
    for (std::uint64_t schedule = 1; schedule <= options.seeds && result.passed; ++schedule)
      if (Result again = judge.run(one, schedule); !again.passed)
        result = std::move(again), bad_seed = schedule;
    passed += result.passed;
    std::fprintf(
        to, "  %-22s %-7s %d/1  %s%s\n", one.name().c_str(), result.passed ? "passed" : "FAILED",
        result.passed,
        bad_seed ? format("schedule %llu: ", static_cast<unsigned long long>(bad_seed)).c_str() : "",
        text_of(result).c_str());
    std::fflush(to);
    list.push_back(json_of(one.name(), result, bad_seed));
  }
  const double score = 100.0 * static_cast<double>(passed) / static_cast<double>(cases.size());
  std::fprintf(to, "score: %zu of %zu cases, %.0f%%\n", passed, cases.size(), score);
  if (options.profile && profile.is_array())
    std::fprintf(to, "the last case's %s", shown_profile(profile).c_str());
  Json verdict{{"command", "op"},
               {"op", options.op},
               {"files", options.files},
               {"function", shown(task.users)},
               {"seed", options.hide_seed ? Json() : Json(seed)},
               {"passed", passed == cases.size()},
               {"points", passed},
               {"of", cases.size()},
               {"score", score},
               {"cases", list}};
  if (options.profile) verdict["profile"] = profile;
  write_verdict(options, verdict);
  return passed == cases.size() ? done : failed;
}

}  // namespace twin_command
