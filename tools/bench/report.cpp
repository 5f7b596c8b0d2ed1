#include <cstdio>

#include "bench.h"

namespace bench {
namespace {

const Result* find(const Results& results, const std::string& name) {
  for (const Result& result : results)
    if (result.row.name == name) return &result;
  return nullptr;
}

// How much of its limit a row reaches; 0 without one.
double share_of_limit(const Result& result, const Results& all) {
  const Result* limit = find(all, result.row.limit);
  if (!limit) return 0;
  return result.row.work > 0 ? result.value() / limit->value() : limit->value() / result.value();
}

bool met(const Result& result, double share) {
  return result.row.limit.empty() ? result.value() <= result.row.target : share >= result.row.target;
}

}  // namespace

void print(const Results& results, const Results& all) {
  for (const Result& result : results) {
    const Row& row = result.row;
    const double share = share_of_limit(result, all);
    std::printf("%-44s %10.4g %-8s", row.name.c_str(), result.value(), row.unit.c_str());
    if (share > 0) std::printf("  %5.2f of %s", share, row.limit.c_str());
    if (row.target > 0 && row.limit.empty()) std::printf("  target at most %g", row.target);
    if (row.target > 0 && !row.limit.empty()) std::printf("; target at least %g", row.target);
    if (row.target > 0) std::printf(met(result, share) ? ": met" : ": MISSED");
    std::printf("\n");
  }
  std::fflush(stdout);
}

void print_json(const Results& results) {
  const char* separator = "[";
  for (const Result& result : results) {
    const Row& row = result.row;
    const double share = share_of_limit(result, results);
    std::printf("%s\n  {\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"ns\": %.6g", separator,
                row.name.c_str(), result.value(), row.unit.c_str(), result.nanoseconds);
    if (!row.limit.empty()) std::printf(", \"limit\": \"%s\"", row.limit.c_str());
    if (share > 0) std::printf(", \"share\": %.4g", share);
    if (row.target > 0)
      std::printf(", \"target\": %g, \"met\": %s", row.target, met(result, share) ? "true" : "false");
    std::printf("}");
    separator = ",";
  }
  std::printf("%s\n]\n", results.empty() ? "[" : "");
}

}  // namespace bench
