#include "quiet.h"

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace peers {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

// Ticks of all processors so far.
struct Ticks {
  double busy = 0, all = 0;
};

Ticks ticks() {
  Ticks now;
  std::ifstream in("/proc/stat");
  std::string label;
  in >> label;
  for (int column = 0; column < 8; ++column) {  // user nice system idle iowait irq softirq steal
    double count = 0;
    in >> count;
    now.all += count;
    if (column != 3 && column != 4) now.busy += count;
  }
  return now;
}

// Sleeps, and says whether the others used less than 15 % of the machine meanwhile.
bool idle_during(int ms) {
  const Ticks before = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  const Ticks after = ticks();
  return after.all <= before.all || (after.busy - before.busy) / (after.all - before.all) < 0.15;
}

}  // namespace

bool Quiet::wait() {
  if (pause_ms_ <= 0) return true;
  const auto start = clock::now();
  bool quiet = idle_during(pause_ms_);
  while (!quiet && seconds_since(start) < longest_ && budget_ > seconds_since(start))
    quiet = idle_during(pause_ms_);
  budget_ -= seconds_since(start);
  return quiet;
}

long Quiet::preemptions() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nivcsw;
}

}  // namespace peers
