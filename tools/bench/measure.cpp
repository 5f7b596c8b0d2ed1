#include <time.h>

#include <algorithm>
#include <cmath>

#include "bench.h"

namespace bench {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(const Row& row, long times, const Effort& effort) {
  const clockid_t clock = effort.processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const double start = seconds(clock);
  row.run(times);
  return seconds(clock) - start;
}

// How often to do it in one block.
long times_in(const Row& row, const Effort& effort) {
  row.run(1);
  long times = 1;
  double taken = seconds_of(row, times, effort);
  while (taken < effort.block / 4 && times < 1L << 40) {
    times *= 4;
    taken = seconds_of(row, times, effort);
  }
  return std::max(1L, std::lround(effort.block / taken * static_cast<double>(times)));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Results measure(const Rows& rows, const Effort& effort) {
  std::vector<long> times;
  for (const Row& row : rows) times.push_back(times_in(row, effort));
  std::vector<std::vector<double>> nanoseconds(rows.size());
  for (int round = 0; round < effort.rounds; ++round)
    for (std::size_t turn = 0; turn < rows.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % rows.size();
      nanoseconds[i].push_back(seconds_of(rows[i], times[i], effort) / static_cast<double>(times[i]) *
                                   1e9 -
                               rows[i].waiting);
    }
  Results results;
  for (std::size_t i = 0; i < rows.size(); ++i) results.push_back({rows[i], median(nanoseconds[i])});
  return results;
}

Results measure_throughput(const Rows& rows, const Effort& effort) {
  struct Total {
    double seconds = 0;
    long times = 0;
  };
  std::vector<Total> totals(rows.size());
  for (int round = 0; round < effort.rounds; ++round)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double start = seconds(CLOCK_MONOTONIC);
      double end = start;
      for (; end < start + effort.block; end = seconds(CLOCK_MONOTONIC), ++totals[i].times)
        rows[i].run(1);
      totals[i].seconds += end - start;
    }
  Results results;
  for (std::size_t i = 0; i < rows.size(); ++i)
    results.push_back({rows[i], totals[i].seconds / static_cast<double>(totals[i].times) * 1e9});
  return results;
}

}  // namespace bench
