#include "speed.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "case_builder.h"
#include "guarded.h"
#include "machine_limits.h"
#include "stage.h"

namespace torchlight::test {
namespace {

constexpr int rounds = 9;
constexpr int most_batches = 4;  // of rounds, where the first ones look as if results were remembered

/// What is timed, and how many multiply-adds count twice in it; 0 where only memory limits it.
struct Timed {
  Case c;
  double operations = 0;
};

Operand floats(const Shape& shape, Fill fill = Fill::unit) {
  return dense(Dtype::float32, shape, {fill});
}

Timed timed(Op op, std::uint32_t fn, const char* what, std::vector<Operand> operands) {
  Timed one;
  one.c.op = op, one.c.fn = fn, one.c.operands = std::move(operands);
  one.c.name = path("speed", name(op), what);
  return one;
}

std::vector<Timed> all_timed() {
  const Shape sheet{256, 1024}, row{1024}, column{256, 1}, square{256, 256};
  const Operand x = floats(sheet);
  const Operand& out = x;
  std::vector<Timed> list{
      timed(Op::map, TL_MAP_exp, "exp/float32/256x1024", {x, out}),
      timed(Op::map, TL_MAP_relu, "relu/float32/256x1024", {x, out}),
      timed(Op::zip, TL_ZIP_add, "add/float32/256x1024", {x, x, absent(), out}),
      timed(Op::reduce, TL_REDUCE_sum, "sum_of_rows/float32/256x1024", {x, floats(column)}),
      timed(Op::reduce, TL_REDUCE_sum, "sum_of_columns/float32/256x1024", {x, floats({1, 1024})}),
      timed(Op::matmul, 0, "float32/256x256x256",
            {floats(square), floats(square), absent(), floats(square)}),
      timed(Op::attn_softmax_fw, 0, "float32/256x1024", {x, absent(), out}),
      timed(Op::attn_softmax_bw, 0, "float32/256x1024", {x, floats(sheet, Fill::probability), out}),
      timed(Op::layernorm_fw, 0, "float32/256x1024",
            {x, floats(row), floats(row), out, floats({256}), floats({256})}),
      timed(Op::layernorm_bw, 0, "float32/256x1024",
            {x, x, floats(row), floats({256}), floats({256}), out, floats(row), floats(row)})};
  for (Timed& one : list) {
    if (one.c.op == Op::reduce) one.c.axis_mask = one.c.operands[1].layout.extent[0] == 1 ? 1 : 2;
    if (one.c.op == Op::matmul) one.operations = 2.0 * 256 * 256 * 256;
    if (one.c.op == Op::layernorm_bw) {
      one.c.operand("mean").values = {Fill::mean_of_input};
      one.c.operand("rstd").values = {Fill::rstd_of_input};
    }
  }
  return list;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// What one core does at most.
struct Limits {
  double bytes_per_second = 0, operations_per_second = 0;

  static Limits of_this_core() {
    constexpr long n = 256 * 1024, steps = 200'000;
    struct Free {
      void operator()(float* p) const { std::free(p); }
    };
    std::unique_ptr<float, Free> memory[3];
    for (auto& m : memory) {
      m.reset(static_cast<float*>(std::aligned_alloc(64, n * sizeof(float))));
      if (!m) throw std::bad_alloc();
      std::fill_n(m.get(), n, 1.0f);
    }
    Limits best;
    for (int i = 0; i < rounds; ++i) {
      auto begin = std::chrono::steady_clock::now();
      machine::kernels().triad(memory[0].get(), memory[1].get(), memory[2].get(), n);
      best.bytes_per_second =
          std::max(best.bytes_per_second, 3.0 * n * sizeof(float) / seconds_since(begin));
      begin = std::chrono::steady_clock::now();
      machine::kernels().fma(steps);
      best.operations_per_second = std::max(
          best.operations_per_second, machine::kernels().operations * steps / seconds_since(begin));
    }
    return best;
  }

  double seconds_for(const Timed& timed) const {
    double bytes = 0;
    for (const Operand& operand : timed.c.operands)
      if (operand.present)
        bytes += static_cast<double>(operand.layout.span) * static_cast<double>(size_of(operand.dtype));
    return std::max(bytes / bytes_per_second, timed.operations / operations_per_second);
  }
};

/// A case's values, and what they should give.
struct Round {
  Case c;
  Arrays arrays;
  std::vector<reference::Result> want;

  Round(const Case& timed, std::uint64_t seed) : c(timed) {
    c.seed = seed;
    arrays = make_arrays(c);
    want = reference::evaluate(c, arrays);
  }
};

/// One plug-in at one case, call by call.
class Runner {
 public:
  Runner(const Plugin& plugin, std::uint64_t seed) : stage_(plugin, seed) {}

  /// Empty, or what is wrong with what the call gave.
  std::string call(const Round& round, std::vector<double>& seconds, const Circumstances& how = {}) {
    const Execution execution = stage_.run(round.c, round.arrays, how);
    if (!execution.faults.empty()) return execution.faults.front();
    is_declined_ = execution.status != TL_OK;
    if (is_declined_) return {};
    seconds.push_back(execution.seconds);
    return compare(round.c, round.want, execution);
  }
  bool is_declined() const { return is_declined_; }

 private:
  Stage stage_;
  bool is_declined_ = false;
};

double median(std::vector<double> seconds) {
  if (seconds.empty()) return 0;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double least(const std::vector<double>& seconds) {
  return *std::min_element(seconds.begin(), seconds.end());
}

/// Times of one case. Each timed call has values that no call had before. Between them the call before is made again,
/// which a plug-in that remembers would have done at once.
class Timing {
 public:
  Timing(const Plugin& plugin, const Plugin* reference, const Case& c, std::uint64_t seed)
      : case_(c), seed_(seed), ours_(plugin, seed), is_host_(plugin.is_host()) {
    if (reference) theirs_.emplace(*reference, seed);
  }

  /// What is wrong, and by which check; empty if nothing is.
  Failure run() {
    for (int batch = 0; batch < most_batches && (batch == 0 || seems_to_remember()); ++batch)
      for (int i = 0; i < rounds; ++i) {
        if (std::string wrong = next(); !wrong.empty()) return {case_.name, "speed", wrong};
        if (ours_.is_declined()) return {};
      }
    if (seems_to_remember())
      return {case_.name, "speed",
              "a call that was made before takes " + std::to_string(least(again_) / least(fresh_)) +
                  " of the time of a new one: results are remembered"};
    return {case_.name, "finished", is_host_ ? "" : finished()};
  }
  bool is_declined() const { return ours_.is_declined(); }
  double seconds() const { return median(fresh_); }
  double reference_seconds() const { return median(of_reference_); }

 private:
  std::string next() {
    std::optional<Round> before = std::move(round_);
    round_.emplace(case_, seed_++);
    std::string wrong;
    if (before) wrong = ours_.call(*before, again_);
    if (wrong.empty()) wrong = ours_.call(*round_, fresh_);
    if (theirs_) static_cast<void>(theirs_->call(*round_, of_reference_));
    return wrong;
  }
  /// By the least times, for others use the machine, too; and not before several rounds agree.
  bool seems_to_remember() const { return least(again_) * 3 < least(fresh_); }
  std::string finished() {
    Circumstances how;
    how.overwrites_inputs = true;
    std::vector<double> untold;
    const std::string wrong = ours_.call(*round_, untold, how);
    return wrong.empty() ? "" : "with other inputs as soon as stream_sync had returned: " + wrong;
  }

  const Case& case_;
  std::uint64_t seed_;
  Runner ours_;
  std::optional<Runner> theirs_;
  bool is_host_;
  std::optional<Round> round_;
  std::vector<double> fresh_, again_, of_reference_;
};

}  // namespace

std::vector<Speed> measure_speed(const Plugin& plugin, const Options& options,
                                 const std::function<void(const Failure&)>& on_failure) {
  const Limits limits = Limits::of_this_core();
  std::vector<Speed> speeds;
  for (const Timed& timed : all_timed()) {
    if (timed.c.name.find(options.only) == std::string::npos) continue;
    set_current_activity(timed.c.name);
    Timing timing(plugin, options.reference, timed.c, options.seed * 1'000'003);
    const Failure failure = timing.run();
    if (!failure.text.empty())
      on_failure(failure);
    else if (!timing.is_declined())
      speeds.push_back({timed.c.name.substr(timed.c.name.find('/') + 1), timing.seconds(),
                        timing.reference_seconds(), limits.seconds_for(timed) / timing.seconds()});
  }
  return speeds;
}

}  // namespace torchlight::test
