#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The benchmark program: rows that are measured in turns, so that what else the machine does meanwhile
/// falls on all of them alike, and compared within one run.
namespace bench {

/// One thing to measure.
struct Row {
  std::string name;
  std::function<void(long)> run;  ///< does it so many times
  double work = 0;                ///< operations or bytes of doing it once; 0 where its time counts
  std::string unit = "ns";        ///< "GFLOP/s" or "GB/s" with work
  std::string limit = {};         ///< the row of this run that it is compared with
  double target = 0;              ///< at least this much of the limit; without one, ns at most; 0: none
  double waiting = 0;             ///< nanoseconds of doing it once that don't count
};
using Rows = std::vector<Row>;

template <class F> std::function<void(long)> repeat(F once) {
  return [once = std::move(once)](long times) mutable {
    for (; times > 0; --times) once();
  };
}

/// Keeps the compiler from leaving out what made this value.
template <class T> void use(const T& value) { asm volatile("" : : "r"(&value) : "memory"); }

struct Result {
  Row row;
  double nanoseconds;  ///< the median of all rounds, or their mean
  /// Work per nanosecond, or the time itself.
  double value() const { return row.work > 0 ? row.work / nanoseconds : nanoseconds; }
};
using Results = std::vector<Result>;

struct Effort {
  int rounds = 15;
  double block = 0.02;          ///< seconds of one timed block
  bool processor_time = false;  ///< of the process, not the time that passes: others don't count
};

/// Measures all rows: each round one block of each, in a rotating order.
Results measure(const Rows& rows, const Effort& effort);

/// The same by the time that passes, and by how often a row is done in all its blocks: for a machine whose
/// processors others take for whole blocks.
Results measure_throughput(const Rows& rows, const Effort& effort);

/// Appends the results of some rows to those there are, as a table on standard output.
void print(const Results& results, const Results& all);
void print_json(const Results& results);

// ---- the groups

Rows limits();       ///< what the machine can do: every group is compared with these
Rows abi();          ///< what a call of a plug-in costs
Rows overhead();     ///< tiny tensors: what the library itself costs
Rows elementwise();  ///< 1e6 elements: maps, add, sum
Rows matmul();
Rows lookups();  ///< training with a table of vectors
Rows pool();     ///< what a parallel region costs
/// A region with something to do, by one thread and by all.
Rows pool_work(const std::string& circumstances);

/// A process on each processor that does nothing but use it, as long as the object lives.
class Neighbours {
 public:
  Neighbours();
  ~Neighbours();

 private:
  std::vector<int> processes_;
};

}  // namespace bench
