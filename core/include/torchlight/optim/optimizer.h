#pragma once

#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <torchlight/state_dict.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

/// Parameters that share options.
template <class Options> struct ParamGroup {
  std::vector<Tensor> params;
  Options options = {};
};

/// Changes parameters, in place, by what backward left in their grad. Each optimizer takes the
/// parameters of one group, or several groups with options of their own:
///
///   optim::Adam optimizer(model.parameters(), {.lr = 1e-3});
///   optimizer.zero_grad();
///   loss(model(x), y).backward();
///   optimizer.step();
///
/// A parameter without a gradient is left as it is, its state too: no step, no decay. What is remembered follows
/// a parameter to the dtype and device that Module::to gave it.
class Optimizer {
 public:
  /// For optimizers of your own: an option of a group by name, a number or a flag; it stays where it is as long
  /// as the optimizer. A number is at least 0 and below the limit.
  struct Option {
    const char* name;
    double* number;
    bool* flag = nullptr;
    double limit = std::numeric_limits<double>::infinity();
  };

  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  void step();
  void zero_grad();

  std::size_t group_count() const { return groups_.size(); }
  double lr(std::size_t group = 0) const;
  void set_lr(double lr, std::size_t group = 0);  ///< Error unless it is finite and at least 0

  /// "state.<parameter>.<slot>", "state.<parameter>.step" and "group.<group>.<option>"; parameters and
  /// groups are counted in the order they were given in. The tensors are copies.
  StateDict state_dict() const;
  /// Continues bit for bit where the state was taken. Error, and nothing changed, where it belongs to
  /// other parameters or another optimizer.
  void load_state_dict(const StateDict& dict);

 protected:
  /// What is remembered of one parameter.
  struct ParamState {
    std::int64_t step = 0;
    std::vector<Tensor> slots;  ///< in the order of the slots' names; undefined until first used
  };
  /// `slot_names`: what the optimizer remembers of each parameter besides the step.
  explicit Optimizer(std::vector<const char*> slot_names) : slot_names_(std::move(slot_names)) {}
  /// lr is the first option. Error for a parameter that isn't a leaf or is there already.
  void add_group(const std::vector<Tensor>& params, std::vector<Option> options);

  /// One step of a parameter that has a gradient, without recording; state.step counts it already.
  virtual void update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) = 0;

  struct Update {
    Tensor& param;
    Tensor grad;
    ParamState& state;
  };
  /// The same for all of a group at once; calls update for each unless an optimizer knows better.
  virtual void update_group(std::span<Update> updates, std::size_t group);
  /// Error where the group's options, each of which is right by itself, make no sense together.
  virtual void check_options(std::size_t) const {}
  /// Whether a parameter of the group that made a step has something in this slot.
  virtual bool uses_slot(std::size_t, std::size_t) const { return true; }
  /// Whether a step of this group leaves an element whose gradient is 0 as it is, in the parameter and in
  /// slots, which have the parameter's shape, and each element depends on its own gradient alone. Then of
  /// a table in which rows were looked up only these may be given to update, as a smaller parameter.
  virtual bool zero_changes_nothing(std::size_t) const { return false; }

 private:
  struct Entry {
    Tensor param;
    ParamState state;
  };
  struct Group {
    std::vector<Entry> entries;
    std::vector<Option> options;
  };
  using Rows = std::vector<std::int64_t>;
  bool may_step_by_rows(const Entry& entry, std::size_t group) const;
  void update_in_order(std::span<Update> updates, std::span<const std::optional<Rows>> rows,
                       std::size_t group);
  void update_rows(Update& whole, const Rows& rows, std::size_t group);
  const Option& lr_of(std::size_t group) const;
  void check_loaded(const std::vector<ParamState>& states) const;
  static void check(const Option& option, double value);

  std::vector<const char*> slot_names_;
  std::vector<Group> groups_;
};

/// An optimizer whose groups each have Options of its own.
template <class Options> class GroupedOptimizer : public Optimizer {
 protected:
  /// `describe` names the options that it is given, where they then stay; Error for those that make no sense.
  GroupedOptimizer(std::vector<const char*> slot_names, const std::vector<ParamGroup<Options>>& groups,
                   std::vector<Option> (*describe)(Options& options))
      : Optimizer(std::move(slot_names)), describe_(describe) {
    for (const auto& [params, options] : groups)
      add_group(params, describe(options_.emplace_back(options)));
  }

  const Options& options(std::size_t group) const { return options_[group]; }
  void check_options(std::size_t group) const override {
    Options copy = options_[group];
    describe_(copy);
  }

 private:
  std::vector<Option> (*describe_)(Options& options);
  std::deque<Options> options_;  // addresses stay
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
