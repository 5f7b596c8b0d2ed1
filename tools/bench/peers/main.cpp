#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "peers.h"
#include "quiet.h"

// make_NAME() for each contestant that CMake found.
#define PEERS_CONTESTANT(name) peers::Contestant make_##name();
#include "contestants.def"

namespace {

using peers::Case;
using peers::Contestant;
using peers::Work;

struct Options {
  std::vector<std::string> groups{"overhead", "elem", "reduce", "mm", "rows", "train"}, who;
  std::string only;
  int threads = 1, rounds = 11, pause_ms = -1;
  double block = 0.02, longest_wait = 3, wait_budget = 300;
  bool large = true, list = false;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) items.push_back(item);
  return items;
}

[[noreturn]] void usage() {
  std::fputs(
      "usage: torchlight_peers [--group overhead,elem,reduce,mm,rows,train] [--who NAME,…] [--threads "
      "N]\n"
      "  [--rounds N] [--block SECONDS] [--only PART_OF_A_CASE] [--small] [--list]\n"
      "  [--pause MS] [--wait SECONDS_PER_BLOCK] [--budget SECONDS_OF_WAITING]\n",
      stderr);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--small" || name == "--list") {
      (name == "--list" ? options.list : options.large) = name == "--list";
      continue;
    }
    if (++i == argc) usage();
    const std::string value = argv[i];
    if (name == "--group")
      options.groups = split(value);
    else if (name == "--who")
      options.who = split(value);
    else if (name == "--only")
      options.only = value;
    else if (name == "--threads")
      options.threads = std::atoi(argv[i]);
    else if (name == "--rounds")
      options.rounds = std::atoi(argv[i]);
    else if (name == "--block")
      options.block = std::atof(argv[i]);
    else if (name == "--pause")
      options.pause_ms = std::atoi(argv[i]);
    else if (name == "--wait")
      options.longest_wait = std::atof(argv[i]);
    else if (name == "--budget")
      options.wait_budget = std::atof(argv[i]);
    else
      usage();
  }
  // With several threads the workers of the contestant before must have gone to sleep.
  if (options.pause_ms < 0) options.pause_ms = options.threads > 1 ? 50 : 0;
  if (options.threads < 1 || options.rounds < 1 || !(options.block > 0)) usage();
  return options;
}

std::vector<Contestant> contestants(const Options& options) {
  std::vector<Contestant> all, chosen;
#define PEERS_CONTESTANT(name) all.push_back(make_##name());
#include "contestants.def"
  for (const Contestant& contestant : all)
    if (options.who.empty() ||
        std::find(options.who.begin(), options.who.end(), contestant.name) != options.who.end())
      chosen.push_back(contestant);
  return chosen;
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// With one thread the processor's time: what others do on the machine doesn't count.
double seconds_of(const Work& work, long times, const Options& options) {
  const clockid_t clock = options.threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const double start = seconds(clock);
  for (long i = 0; i < times; ++i) work.run();
  return seconds(clock) - start;
}

// One contestant in one row.
struct Entry {
  const Contestant* contestant;
  Work work;
  long times = 1;  // in one block
  std::vector<double> seconds = {}, disturbed = {};
  double probe = 0;

  double median() const {
    std::vector<double> sorted = seconds.empty() ? disturbed : seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void calibrate(Entry& entry, const Options& options) {
  entry.work.run();
  long times = 1;
  double taken = seconds_of(entry.work, times, options);
  while (taken < options.block / 4 && times < 50000000)
    taken = seconds_of(entry.work, times *= 4, options);
  entry.times = std::max(1L, std::lround(options.block / taken * static_cast<double>(times)));
  if (entry.work.probe) entry.probe = entry.work.probe();
}

void time_block(Entry& entry, const Options& options, peers::Quiet& quiet) {
  entry.contestant->set_threads(options.threads);
  const bool was_quiet = quiet.wait();
  entry.work.run();
  const long before = peers::Quiet::preemptions();
  const double taken = seconds_of(entry.work, entry.times, options);
  // Pushed off a processor more than once in 10 ms: that measures others.
  const bool alone = static_cast<double>(peers::Quiet::preemptions() - before) <= 1 + taken / 0.01;
  const bool good = options.threads == 1 || (was_quiet && alone);
  (good ? entry.seconds : entry.disturbed).push_back(taken / static_cast<double>(entry.times));
}

void print(const Case& which, const Options& options, const std::vector<Entry>& entries) {
  double best = entries[0].median();
  for (const Entry& entry : entries) best = std::min(best, entry.median());
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  for (const Entry& entry : entries) {
    const double seconds = entry.median(), reference = entries[0].probe;
    const bool differs = entry.work.probe && entries[0].work.probe &&
                         std::abs(entry.probe - reference) > 2e-3 * (1 + std::abs(reference));
    std::printf("%s\t%s\t%d\t%.1f\t%.2f\t%.2f\t%.2f\t%.6g%s\t%.0f\t%zu\n", which.id.c_str(),
                entry.contestant->name.c_str(), options.threads, seconds * 1e9,
                which.operations / seconds / 1e9, which.bytes / seconds / 1e9, seconds / best,
                entry.probe, differs ? "(DIFFERS)" : "", static_cast<double>(used.ru_maxrss) / 1024,
                entry.disturbed.size());
  }
  std::fflush(stdout);
}

void run(const Case& which, const Options& options, const std::vector<Contestant>& all,
         peers::Quiet& quiet) {
  std::vector<Entry> entries;
  for (const Contestant& contestant : all) {
    contestant.set_threads(options.threads);
    if (Work work = contestant.make(which)) entries.push_back({&contestant, std::move(work)});
  }
  for (Entry& entry : entries) {
    entry.contestant->set_threads(options.threads);
    calibrate(entry, options);
  }
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t turn = 0; turn < entries.size(); ++turn)
      time_block(entries[(turn + static_cast<std::size_t>(round)) % entries.size()], options, quiet);
  if (!entries.empty()) print(which, options, entries);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Contestant> all = contestants(options);
  if (options.list) {
    for (const Contestant& contestant : all) std::puts(contestant.name.c_str());
    return 0;
  }
  peers::Quiet quiet(options.pause_ms, options.longest_wait, options.wait_budget);
  std::puts(
      "case\tcontestant\tthreads\tmedian_ns\tGFLOP/s\tGB/s\ttimes_best\tprobe\tpeak_MB\tdisturbed");
  for (const std::string& group : options.groups)
    for (const Case& which : peers::cases_of(group, options.large))
      if (which.id.find(options.only) != std::string::npos) run(which, options, all, quiet);
  std::fflush(stdout);
  _exit(0);  // the thread pools of some libraries don't like the end of a process
}
