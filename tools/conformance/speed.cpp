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
  one.c.seed = 77;
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

/// One plug-in at one case, call by call.
class Runner {
 public:
  Runner(const Plugin& plugin, const Case& c) : stage_(plugin), case_(c) {}

  /// Empty, or what is wrong with what the call gave.
  std::string call(const Arrays& arrays, const std::vector<reference::Result>& want) {
    const Execution execution = stage_.run(case_, arrays);
    if (!execution.faults.empty()) return execution.faults.front();
    is_declined_ = execution.status != TL_OK;
    if (is_declined_) return {};
    seconds_.push_back(execution.seconds);
    return compare(case_, want, execution);
  }
  bool is_declined() const { return is_declined_; }
  double median() {
    if (seconds_.empty()) return 0;
    const auto middle = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
    std::nth_element(seconds_.begin(), middle, seconds_.end());
    return *middle;
  }

 private:
  Stage stage_;
  const Case& case_;
  std::vector<double> seconds_;
  bool is_declined_ = false;
};

}  // namespace

std::vector<Speed> measure_speed(const Plugin& plugin, const Plugin* reference,
                                 const std::function<void(const Failure&)>& on_failure) {
  const Limits limits = Limits::of_this_core();
  std::vector<Speed> speeds;
  for (const Timed& timed : all_timed()) {
    set_current_activity(timed.c.name);
    Case other = timed.c;
    other.seed += 1;
    const Arrays arrays[] = {make_arrays(timed.c), make_arrays(other)};
    const std::vector<reference::Result> want[] = {reference::evaluate(timed.c, arrays[0]),
                                                   reference::evaluate(timed.c, arrays[1])};
    Runner ours(plugin, timed.c);
    std::optional<Runner> theirs;
    if (reference) theirs.emplace(*reference, timed.c);
    std::string wrong;
    for (int i = 0; i < rounds && wrong.empty() && !ours.is_declined(); ++i) {
      wrong = ours.call(arrays[i % 2], want[i % 2]);
      if (theirs) static_cast<void>(theirs->call(arrays[i % 2], want[i % 2]));
    }
    if (!wrong.empty())
      on_failure({timed.c.name, "speed", wrong});
    else if (!ours.is_declined())
      speeds.push_back({timed.c.name.substr(timed.c.name.find('/') + 1), ours.median(),
                        theirs ? theirs->median() : 0, limits.seconds_for(timed) / ours.median()});
  }
  return speeds;
}

}  // namespace torchlight::test
