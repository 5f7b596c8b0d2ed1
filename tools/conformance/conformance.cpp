#include "conformance.h"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "cases.h"
#include "checks.h"
#include "speed.h"

namespace torchlight::test {
namespace {

struct Check {
  const char* name;
  std::string (*run)(Stage&, const Trial&);
};

/// For every case, in this order; the first failure ends it.
constexpr Check every_case[] = {{"values", check_values},
                                {"repeatable", check_repeatable},
                                {"in_place", check_in_place},
                                {"positions", check_positions},
                                {"indices", check_indices}};
/// For one case of each kind.
constexpr Check each_kind[] = {{"fresh", check_fresh},
                               {"finished", check_finished},
                               {"sizes", check_sizes},
                               {"refusals", check_refusals}};
/// For the device, once.
struct DeviceCheck {
  const char* name;
  std::string (*run)(const Plugin&);
};
constexpr DeviceCheck device_checks[] = {{"device", check_device},
                                         {"surroundings", check_surroundings},
                                         {"memory", check_control_out_of_memory},
                                         {"streams", check_streams}};

bool same(std::string_view a, const char* b) { return a == b; }

/// "map/exp/float32": by what accuracy is told.
std::string result_kind(const Case& c) {
  const Row* row = find_row(c.op == Op::scan ? Op::reduce : c.op, c.fn);
  std::string kind = name(c.op);
  if (row) kind.append("/").append(row->name);
  for (std::size_t i = 0; i < c.operands.size(); ++i)
    if (slots(c.op)[i].is_output && c.operands[i].present)
      return kind.append("/").append(name(c.operands[i].dtype));
  return kind;
}

/// What is counted by itself: a row, or an operation without rows, and a dtype.
std::string kind_of(const Case& c) {
  const Row* row = find_row(c.op == Op::scan ? Op::reduce : c.op, c.fn);
  std::string kind = std::string(name(c.op)) + "/" + (row ? row->name : std::to_string(c.fn));
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    if (same(slots(c.op)[i].name, "input") || slots(c.op)[i].is_output) {
      if (c.operands[i].present) kind.append("/").append(name(c.operands[i].dtype));
    }
    if (!c.operands[i].present && !slots(c.op)[i].is_output)
      kind.append("/no_").append(slots(c.op)[i].name);
  }
  return kind;
}

class Conformance {
 public:
  Conformance(const Plugin& plugin, const Options& options,
              const std::function<void(const Failure&)>& on_failure)
      : stage_(plugin, options.seed), options_(options), on_failure_(on_failure) {}

  Report run() {
    if (does("device")) check_all_but_primitives();
    for (Op op : all_ops) {
      if (!does(name(op))) continue;
      for (const Case& c : cases(op)) {
        if (!wanted(c)) continue;
        listed_.insert({c.op, c.fn});
        Case seeded = c;
        seeded.seed += (options_.seed - 1) * 0x9e3779b97f4a7c15u;
        attempt(seeded);
        if (exhausted()) return report_;
      }
    }
    for (std::uint64_t i = 0; does("random_case") && i < options_.random_cases && !exhausted(); ++i) {
      const Case c = random_case(options_.seed + i);
      if (wanted(c)) attempt(c);
    }
    if (options_.part == "long_case") try_long_cases();
    if (options_.only.empty() && options_.part.empty()) check_coverage();
    if (options_.part == "speed") time_all();
    for (auto& [kind, accuracy] : accuracy_) report_.accuracy.push_back(std::move(accuracy));
    return report_;
  }

 private:
  bool does(const char* part) const { return options_.part.empty() || options_.part == part; }
  void check_all_but_primitives() {
    set_current_activity("device");
    for (const DeviceCheck& check : device_checks) {
      set_current_activity(std::string("device/") + check.name);
      const std::string text = check.run(stage_.plugin());
      if (!text.empty()) return fail("device", check.name, text);
      if (!options_.part.empty()) ++report_.done;  // all that the part consists of
    }
  }
  void try_long_cases() {
    for (const Case& c : long_cases(options_.seed, options_.random_cases / 100)) {
      if (exhausted()) return;
      if (wanted(c)) attempt(c);
    }
  }
  void time_all() {
    report_.speeds = measure_speed(stage_.plugin(), options_,
                                   [this](const Failure& f) { fail(f.name, f.check.c_str(), f.text); });
    report_.done = report_.speeds.size();
  }
  bool wanted(const Case& c) const { return c.name.find(options_.only) != std::string::npos; }
  bool exhausted() const { return report_.failures.size() >= options_.most_failures; }

  void fail(const std::string& name, const char* check, const std::string& text) {
    report_.failures.push_back({name, check, text});
    if (on_failure_) on_failure_(report_.failures.back());
  }

  void attempt(Case c) {
    set_current_activity(c.name);
    c.slack = options_.slack;
    try {
      Trial trial{c, make_arrays(c), {}, {}};
      trial.first = stage_.run(c, trial.arrays);
      if (trial.first.status != TL_OK && trial.first.faults.empty()) return declined(trial);
      if (c.demand != Demand::undefined) trial.want = reference::evaluate(c, trial.arrays);
      if (!judge(trial)) return;
      ++report_.done;
      if (!trial.want.empty()) note_accuracy(trial);
    } catch (const std::exception& error) {
      fail(c.name, "exception", error.what());
    }
  }

  void note_accuracy(const Trial& trial) {
    const Distance distance = measure(trial.c, trial.want, trial.first);
    if (!distance.is_known) return;
    Accuracy& worst = accuracy_[result_kind(trial.c)];
    if (worst.kind.empty() || distance.of_bound > worst.of_bound)
      worst.of_bound = distance.of_bound, worst.name = trial.c.name;
    worst.kind = result_kind(trial.c);
    worst.ulp = std::max(worst.ulp, distance.ulp);
  }

  void declined(const Trial& trial) {
    ++report_.declined;
    const std::string& reason = trial.first.reason;
    if (trial.first.status != TL_DECLINED && trial.first.status != TL_E_ARGUMENT) {
      fail(trial.c.name, "status", "failed with " + std::to_string(trial.first.status) + ": " + reason);
    } else if (options_.complete && trial.c.demand == Demand::required) {
      fail(trial.c.name, "complete", "declined: " + reason);
    }
  }

  bool judge(const Trial& trial) {
    for (const Check& check : every_case) {
      const std::string text = check.run(stage_, trial);
      if (!text.empty()) return fail(trial.c.name, check.name, text), false;
    }
    const Operand& last = trial.c.operands.back();
    const bool typical = !last.layout.extent.empty() && count(last.layout.extent) > 1;
    if (!typical || !kinds_.insert(kind_of(trial.c)).second) return true;
    for (const Check& check : each_kind) {
      const std::string text = check.run(stage_, trial);
      if (!text.empty()) return fail(trial.c.name, check.name, text), false;
    }
    return true;
  }

  /// A row of ops.def without a case is a hole in these tests.
  void check_coverage() {
    for (const Row& row : rows()) {
      if (!listed_.count({row.op, row.fn}))
        fail(path_of(row), "coverage", "no case for this row of ops.def");
    }
  }
  static std::string path_of(const Row& row) { return std::string(name(row.op)) + "/" + row.name; }

  Stage stage_;
  const Options& options_;
  const std::function<void(const Failure&)>& on_failure_;
  Report report_;
  std::set<std::pair<Op, std::uint32_t>> listed_;
  std::set<std::string> kinds_;
  std::map<std::string, Accuracy> accuracy_;
};

}  // namespace

Report conform(const Plugin& plugin, const Options& options,
               const std::function<void(const Failure&)>& on_failure) {
  return Conformance(plugin, options, on_failure).run();
}

std::string to_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json json{{"passed", report.passed()}, {"done", report.done}, {"declined", report.declined}};
  json["failures"] = Json::array();
  for (const Failure& f : report.failures)
    json["failures"].push_back({{"case", f.name}, {"check", f.check}, {"text", f.text}});
  json["accuracy"] = Json::array();
  for (const Accuracy& a : report.accuracy)
    json["accuracy"].push_back(
        {{"kind", a.kind}, {"ulp", a.ulp}, {"of_bound", a.of_bound}, {"case", a.name}});
  json["speeds"] = Json::array();
  for (const Speed& s : report.speeds)
    json["speeds"].push_back({{"name", s.name},
                              {"seconds", s.seconds},
                              {"reference", s.reference},
                              {"of_limit", s.of_limit}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace torchlight::test
