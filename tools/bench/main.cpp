// torchlight_bench: what the machine can do, and how much of that the library does.
#include <torchlight/threads.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench.h"

namespace {

struct Group {
  const char* name;
  bench::Rows (*rows)();
};

constexpr Group groups[] = {{"abi", bench::abi},
                            {"overhead", bench::overhead},
                            {"elementwise", bench::elementwise},
                            {"matmul", bench::matmul},
                            {"lookups", bench::lookups}};

struct Options {
  std::vector<std::string> groups;
  bench::Effort effort;
  int threads = 1;
  bool json = false;
};

[[noreturn]] void usage() {
  std::fputs(
      "usage: torchlight_bench [GROUP…] [--threads N] [--rounds N] [--block SECONDS] [--json]\n"
      "groups: abi overhead elementwise matmul lookups pool (all by default); the machine's limits "
      "come "
      "first\n",
      stderr);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  const auto number = [&](int& i) { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json")
      options.json = true;
    else if (argument == "--threads")
      options.threads = static_cast<int>(number(i));
    else if (argument == "--rounds")
      options.effort.rounds = static_cast<int>(number(i));
    else if (argument == "--block")
      options.effort.block = number(i);
    else if (argument.starts_with("-"))
      usage();
    else
      options.groups.push_back(argument);
  }
  if (options.threads < 1 || options.effort.rounds < 1 || !(options.effort.block > 0)) usage();
  for (const std::string& wanted : options.groups) {
    bool known = wanted == "pool";
    for (const Group& group : groups) known |= wanted == group.name;
    if (!known) usage();
  }
  return options;
}

bool chosen(const Options& options, const char* name) {
  for (const std::string& wanted : options.groups)
    if (wanted == name) return true;
  return options.groups.empty();
}

void append(bench::Results& all, const bench::Results& more, bool json) {
  all.insert(all.end(), more.begin(), more.end());
  if (!json) bench::print(more, all);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  torchlight::set_num_threads(options.threads);
  // In one go, so that a limit and what is compared with it see the same machine.
  bench::Rows rows = bench::limits();
  for (const Group& group : groups)
    if (chosen(options, group.name))
      for (bench::Row& row : group.rows()) rows.push_back(std::move(row));
  bench::Effort effort = options.effort;
  effort.processor_time = options.threads == 1;
  bench::Results all;
  append(all, bench::measure(rows, effort), options.json);
  if (chosen(options, "pool")) {
    append(all, bench::measure(bench::pool(), options.effort), options.json);
    const bench::Effort long_blocks{options.effort.rounds, 12 * options.effort.block};
    append(all, bench::measure_throughput(bench::pool_work(""), long_blocks), options.json);
    const bench::Neighbours neighbours;
    append(all, bench::measure_throughput(bench::pool_work(", busy neighbours"), long_blocks),
           options.json);
  }
  if (options.json) bench::print_json(all);
  return 0;
}
