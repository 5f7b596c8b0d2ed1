#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "case.h"
#include "host.h"
#include "operand_memory.h"
#include "plugin.h"
#include "reference.h"
#include "rng.h"

/// Runs cases on a plug-in and watches what it does.
namespace torchlight::test {

/// The operands of a case by slot, before the call; absent ones are not present().
using Arrays = std::vector<reference::Array>;
Arrays make_arrays(const Case& c);

/// The circumstances of a call, which its result must not depend on.
struct Circumstances {
  Stand stand = {};
  Workers workers = {};
  int in_place_of = -1;            ///< the slot of the input that the output stands on
  bool overwrites_inputs = false;  ///< on devices, as soon as stream_sync has returned
};

struct Execution {
  std::int32_t supported = TL_DECLINED;
  std::int32_t status = TL_DECLINED;
  tl_support support = {};
  double seconds = 0;                           ///< that the call took, until its result could be read
  std::string reason;                           ///< the plug-in's words where it didn't do it
  std::vector<std::string> faults;              ///< what it did that it must not do
  std::vector<std::vector<std::byte>> outputs;  ///< dense, by slot

  bool done() const { return status == TL_OK && faults.empty(); }
};

class Stage {
 public:
  explicit Stage(const Plugin& plugin, std::uint64_t seed = 1)
      : plugin_(plugin), workspace_(plugin, "workspace"), drawn_(seed) {}

  const Plugin& plugin() const { return plugin_; }

  /// Asks `supports`, calls with guarded memory, and looks at everything but the values.
  Execution run(const Case& c, const Arrays& arrays, const Circumstances& circumstances = {});

  /// For checks that make calls of their own: the memory of the case's operands, poisoned where they
  /// are outputs, and their views by slot, NULL where absent.
  std::vector<const tl_view*> set_up(const Case& c, const Arrays& arrays,
                                     const Circumstances& how = {});
  /// What became of that memory: an empty text, or the first fault. Without `outputs_may_change` they
  /// count like inputs.
  std::string memory_fault(const Case& c, bool outputs_may_change, int in_place_of = -1);
  /// Memory of the size that `supports` asked for, or NULL for 0.
  const tl_view* make_workspace(std::uint64_t bytes);

 private:
  OperandMemory& memory(Op op, std::size_t slot);
  void watched_call(const Case& c, const Circumstances& how, Arguments& arguments,
                    Execution& execution);
  void wait_for_result(const Case& c, const Circumstances& how, Execution& execution, ErrorText& error);
  void overwrite_inputs(const Case& c, const Circumstances& how);
  void note_outputs(const Case& c, const Circumstances& how);
  void collect(const Case& c, const Circumstances& how, Execution& execution);

  const Plugin& plugin_;
  std::map<std::pair<Op, std::size_t>, std::unique_ptr<OperandMemory>> memory_;
  OperandMemory workspace_;
  Rng drawn_;  ///< which elements are glimpsed at
};

/// How far what a case gave is from what it should give.
struct Distance {
  bool is_known = false;  ///< whether there was a floating-point result to measure
  double ulp = 0, of_bound = 0;
};
Distance measure(const Case& c, const std::vector<reference::Result>& want, const Execution& got);

/// The first difference between what the case should give and what it gave; empty if there is none.
std::string compare(const Case& c, const std::vector<reference::Result>& want, const Execution& got);

}  // namespace torchlight::test
