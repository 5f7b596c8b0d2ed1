// torchlight twin run: a whole CUDA program, in a process of its own.
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "build.h"
#include "fault.h"
#include "output.h"
#include "runtime/process.h"
#include "show_profile.h"
#include "supervise.h"
#include "text.h"

namespace twin_command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_kept = 1 << 20;  // of a program's output in a verdict

/// One run and what came of it.
struct Run {
  std::uint64_t seed = 0;
  Ended ended;
  std::vector<Fault> faults;
  std::string output, error;
  Json profile;
};

class Runner {
 public:
  Runner(const Options& options, std::string program)
      : options_(options), program_(std::move(program)) {
    // Every run reads the same input.
    if (options.seeds == 0 || isatty(0)) return;
    input_ = std::make_unique<MemoryFile>("input");
    char part[65536];
    std::uint64_t at = 0;
    for (ssize_t got; (got = read(0, part, sizeof part)) > 0; at += static_cast<std::uint64_t>(got))
      input_->write(part, static_cast<std::uint64_t>(got), at);
  }

  Run run(std::uint64_t seed) {
    MemoryFile reports("reports"), output("output"), error("error"), profile("profile");
    const bool first = seed == 0;
    std::uint64_t shown_bytes = 0;
    Child child{{program_}};
    child.command.insert(child.command.end(), options_.arguments.begin(), options_.arguments.end());
    child.environment = manner_of(options_, seed);
    child.environment.emplace_back("TWIN_REPORTS", reports.path());
    child.environment.emplace_back("TORCHLIGHT_TWIN_CACHE",
                                   twin::Process::get().toolchain().cache().directory());
    if (options_.profile && first) child.environment.emplace_back("TWIN_PROFILE", profile.path());
    if (input_) lseek(input_->descriptor(), 0, SEEK_SET), child.in = input_->descriptor();
    if (!first || json_to_stdout(options_)) child.out = output.descriptor();
    if (!first) child.error = error.descriptor();
    child.limits = {options_.time_limit, options_.memory_limit};
    if (first) child.often = [&] { shown_bytes += show(reports.rest(shown_bytes)); };
    Run run{seed,  supervise(child), faults_of(reports.content()), output.content(), error.content(),
            Json()};
    run.output.resize(std::min(run.output.size(), most_kept));
    if (const std::string text = profile.content(); !text.empty())
      run.profile = Json::parse(text, nullptr, false);
    return run;
  }

 private:
  /// Prints the whole lines of new reports; how many bytes they are.
  static std::uint64_t show(const std::string& reports) {
    const std::size_t end = reports.rfind('\n');
    if (end == reports.npos) return 0;
    for (const Fault& fault : faults_of(reports.substr(0, end + 1)))
      std::fprintf(stderr, "%s\n", shown(fault).c_str());
    return end + 1;
  }

  const Options& options_;
  std::string program_;
  std::unique_ptr<MemoryFile> input_;
};

bool is_good(const Options& options, const Run& run) {
  return run.ended.well() && !(options.check && !run.faults.empty());
}

Json json_of(const Options& options, const Run& run) {
  Json json{{"seed", run.seed}, {"passed", is_good(options, run)}, {"status", run.ended.status}};
  if (run.ended.signal) json["signal"] = run.ended.signal;
  json["out_of_time"] = run.ended.out_of_time;
  json["out_of_memory"] = run.ended.out_of_memory;
  json["seconds"] = run.ended.seconds;
  json["megabytes"] = run.ended.megabytes;
  json["faults"] = Json::array();
  for (const Fault& fault : run.faults) json["faults"].push_back(json_of(fault));
  return json;
}

/// The exit status of the whole, by its first run.
int status_of(const Options& options, const Run& run) {
  if (run.ended.out_of_time || run.ended.out_of_memory) return failed;
  if (run.ended.signal) return 128 + run.ended.signal;
  if (run.ended.status != 0) return run.ended.status;
  return options.check && !run.faults.empty() ? failed : done;
}

void say_seed(const Options& options, const Run& run, const Run& first) {
  if (is_good(options, run)) {
    if (run.output != first.output && !first.output.empty())
      std::fprintf(stderr, "twin: seed %llu: passed, but it printed something else\n",
                   static_cast<unsigned long long>(run.seed));
    return;
  }
  std::fprintf(stderr, "twin: seed %llu failed: %s\n", static_cast<unsigned long long>(run.seed),
               text_of(run.ended, {options.time_limit, options.memory_limit}).c_str());
  for (const Fault& fault : run.faults) std::fprintf(stderr, "%s\n", shown(fault).c_str());
  std::fputs(run.error.c_str(), stderr);
}

}  // namespace

int run_program(const Options& options) {
  want_readable(options.files);
  want_writable(options);
  Runner runner(options, build(options.files, options.compile, false));
  const Run first = runner.run(0);
  int status = status_of(options, first);
  if (first.ended.out_of_time || first.ended.out_of_memory || first.ended.signal)
    std::fprintf(stderr, "twin: the program %s\n",
                 text_of(first.ended, {options.time_limit, options.memory_limit}).c_str());
  Json verdict{{"command", "run"}, {"files", options.files}};
  Json runs = Json::array({json_of(options, first)});
  std::uint64_t bad_seeds = 0;
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const Run again = runner.run(seed);
    say_seed(options, again, first);
    bad_seeds += !is_good(options, again);
    runs.push_back(json_of(options, again));
  }
  if (options.seeds)
    std::fprintf(stderr, "twin: %llu of %llu permuted schedules passed\n",
                 static_cast<unsigned long long>(options.seeds - bad_seeds),
                 static_cast<unsigned long long>(options.seeds));
  if (status == done && bad_seeds) status = failed;
  verdict["passed"] = status == done;
  verdict["runs"] = runs;
  if (json_to_stdout(options)) verdict["output"] = first.output;
  if (options.profile) verdict["profile"] = first.profile;
  if (options.profile && !json_to_stdout(options)) {
    std::fflush(stdout);
    if (first.profile.is_array())
      std::fputs(shown_profile(first.profile).c_str(), stdout);
    else
      std::fputs("twin: no profile: the program didn't end by itself\n", stderr);
  }
  write_verdict(options, verdict);
  return status;
}

}  // namespace twin_command
