// twin run FILES… | twin FILES… --launch … | twin FILES… --op NAME | twin --ops
//
// What `torchlight twin` hands over to. Status 0: right; 1: a kernel is wrong, or a program failed; 2: used wrongly.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "command.h"
#include "error.h"
#include "fault.h"
#include "output.h"
#include "words.h"

namespace {

using namespace twin_command;

void add_common(CLI::App& app, Options& options) {
  app.add_option("FILES", options.files, "CUDA sources: .cu, and .cpp beside them");
  app.add_flag("--check", options.check,
               "Look at every access to memory, every barrier and every mask");
  app.add_option("--seeds", options.seeds, "Run as many times more, with permuted schedules")
      ->check(CLI::Range(0, 100000));
  app.add_flag("--profile", options.profile, "Count what the kernels do");
  app.add_option("--time-limit", options.time_limit, "Seconds for a run, without what clang takes")
      ->check(CLI::PositiveNumber);
  app.add_option("--memory-limit", options.memory_limit, "Megabytes for a run")
      ->check(CLI::PositiveNumber);
  app.footer(
      "Also -DNAME=VALUE -IFOLDER -std=c++20 for the compiler, --json [FILE.json] for a verdict to be "
      "read by programs");
}

/// Whoever reads verdicts gets one where nothing could be judged, too.
template <class Work> int with_verdict(const Options& options, const char* command, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    nlohmann::ordered_json verdict{{"command", command}, {"files", options.files}, {"passed", false}};
    if (!options.op.empty()) verdict.update({{"op", options.op}, {"points", 0}, {"score", 0}});
    verdict["error"] = near_path(error.what());
    try {
      write_verdict(options, verdict);
    } catch (const std::exception&) {  // the first error counts
    }
    throw;
  }
}

int run(const std::vector<std::string>& all) {
  Words words = sort_words(all);
  Options options;
  options.compile = words.compile;
  options.arguments = words.arguments;
  options.json = words.json;
  bool list = false;
  CLI::App app("Compiles CUDA kernels and runs them on this processor, with no GPU", "torchlight twin");
  CLI::App& program =
      *app.add_subcommand("run", "Compile and run a whole CUDA program; behind -- stand its arguments");
  add_common(program, options);
  add_common(app, options);
  app.add_option("--launch", options.launches,
                 "\"kernel<<<grid,block,shared>>>(arguments)\"; can be repeated")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--save", options.saves, "NAME=FILE.npy, after the last launch")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--expect", options.expectations,
                 "NAME=FILE.npy, or NAME=softmax(x): what an array must hold")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--tolerance", options.tolerance,
                 "How far values may be off, as a part of what is right")
      ->check(CLI::PositiveNumber);
  app.add_option("--op", options.op, "Judge solve(…), or a launcher, as this exercise");
  app.add_flag("--ops", list, "Show the exercises and what they want");
  CLI::Option* const seed =
      app.add_option("--seed", options.seed, "Of all inputs; drawn anew and shown if not given");
  app.add_flag("--hide-seed", options.hide_seed, "Draw a seed and show it nowhere")->excludes(seed);
  try {
    std::vector<std::string> reversed(words.own.rbegin(), words.own.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return done;
  } catch (const CLI::ParseError& error) {
    throw BadInput(std::string(error.what()) + " (--help says more)");
  }
  if (list) return list_exercises();
  if (options.files.empty()) throw BadInput("say which CUDA source (--help says more)");
  if (program.parsed()) return with_verdict(options, "run", [&] { return run_program(options); });
  if (!options.arguments.empty()) throw BadInput("arguments behind -- are for `run`");
  if (!options.op.empty() && !options.launches.empty())
    throw BadInput("--op and --launch are two things: say one");
  if (!options.op.empty()) return with_verdict(options, "op", [&] { return judge_exercise(options); });
  if (options.launches.empty())
    throw BadInput("say what to do with it: run, --launch or --op (--help says more)");
  if (const char* report = std::getenv("TWIN_WORKER"); report && *report)
    return launch_worker(options, report);
  return run_launches(options, all);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  int status = failed;
  try {
    if (words.size() == 2 && words[0] == "exercise-worker") return exercise_worker(words[1]);
    status = run(words);
  } catch (const BadInput& error) {
    std::fprintf(stderr, "twin: %s\n", error.what());
    status = bad_input;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "twin: %s\n", near_path(error.what()).c_str());
  }
  return status;
}
