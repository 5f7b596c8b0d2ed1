#include "stage.h"

#include <algorithm>
#include <chrono>

#include "process_state.h"

namespace torchlight::test {
namespace {

/// Elements of a broadcast operand are one element: their value comes from the first of them.
reference::Array make_array(const Operand& operand, std::uint64_t seed) {
  reference::Array array{operand.dtype, operand.layout.extent, {}};
  if (count(array.shape) == 0) return array;
  array.at.reserve(static_cast<std::size_t>(count(array.shape)));
  Shape index(array.shape.size(), 0);
  do {
    std::int64_t position = 0;
    for (std::size_t k = 0; k < index.size(); ++k) {
      position = position * array.shape[k] + (operand.layout.stride[k] == 0 ? 0 : index[k]);
    }
    array.at.push_back(value_at(operand.values, operand.dtype, array.shape, position, seed));
  } while (advance(index, array.shape));
  return array;
}

bool is_derived(const Operand& o) {
  return o.values.fill == Fill::mean_of_input || o.values.fill == Fill::rstd_of_input;
}

/// What the forward would have saved, rounded as it would have been.
reference::Array derive(const Case& c, const Operand& operand, const reference::Array& input) {
  const auto forward = reference::layernorm(input, {}, {}, c.eps, c.normalized);
  const auto& saved = operand.values.fill == Fill::mean_of_input ? forward.mean : forward.rstd;
  reference::Array array{operand.dtype, saved.shape, saved.value};
  for (Real& x : array.at) x = round_to(operand.dtype, x);
  return array;
}

/// `supports` must not look at memory.
std::vector<tl_view> without_memory(const std::vector<const tl_view*>& views) {
  std::vector<tl_view> copies(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!views[i]) continue;
    copies[i] = *views[i];
    copies[i].base = nullptr;
    copies[i].block = nullptr;
  }
  return copies;
}

}  // namespace

Arrays make_arrays(const Case& c) {
  Arrays arrays(c.operands.size());
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const Operand& operand = c.operands[i];
    if (operand.present && !is_derived(operand)) arrays[i] = make_array(operand, c.seed * 16 + i);
  }
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const Operand& operand = c.operands[i];
    if (operand.present && is_derived(operand))
      arrays[i] = derive(c, operand, arrays[slot(c.op, "input")]);
  }
  return arrays;
}

OperandMemory& Stage::memory(Op op, std::size_t slot) {
  auto& entry = memory_[{op, slot}];
  if (!entry) entry = std::make_unique<OperandMemory>(plugin_, slots(op)[slot].name);
  return *entry;
}

std::vector<const tl_view*> Stage::set_up(const Case& c, const Arrays& arrays,
                                          const Circumstances& how) {
  std::vector<const tl_view*> views(c.operands.size());
  const auto all = slots(c.op);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!c.operands[i].present) continue;
    const bool has_values = !all[i].is_output || c.reads_output();
    memory(c.op, i).prepare(c.operands[i], has_values ? &arrays[i] : nullptr, how.stand);
    views[i] = &memory(c.op, i).view();
  }
  if (how.in_place_of >= 0) {
    views[slot(c.op, "output")] = views[static_cast<std::size_t>(how.in_place_of)];
  }
  return views;
}

const tl_view* Stage::make_workspace(std::uint64_t bytes) {
  if (bytes == 0) return nullptr;
  const Operand scratch{Dtype::uint8, arrange({static_cast<std::int64_t>(bytes)})};
  workspace_.prepare(scratch, nullptr, {Placement::at_begin, 0});
  return &workspace_.view();
}

void Stage::overwrite_inputs(const Case& c, const Circumstances& how) {
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const bool is_input = !slots(c.op)[i].is_output && static_cast<int>(i) != how.in_place_of;
    if (is_input && c.operands[i].present) memory(c.op, i).overwrite();
  }
}

/// Done is what can be read, whichever of the plug-in's streams or threads has the work.
void Stage::wait_for_result(const Case& c, const Circumstances& how, Execution& execution,
                            ErrorText& error) {
  const auto sync = [&] {
    if (execution.status == TL_OK)
      execution.status = plugin_.table().stream_sync(plugin_.device(), nullptr, error.get());
  };
  sync();
  if (how.overwrites_inputs && execution.status == TL_OK) {
    overwrite_inputs(c, how);
    sync();
  }
  if (execution.status != TL_OK) return;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    if (!slots(c.op)[i].is_output || !c.operands[i].present) continue;
    const bool moved = how.in_place_of >= 0 && i == slot(c.op, "output");
    memory(c.op, moved ? static_cast<std::size_t>(how.in_place_of) : i).begin_glimpse(drawn_.next());
  }
  sync();
}

void Stage::note_outputs(const Case& c, const Circumstances& how) {
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const bool is_output = slots(c.op)[i].is_output || static_cast<int>(i) == how.in_place_of;
    if (is_output && c.operands[i].present) memory(c.op, i).note();
  }
}

void Stage::watched_call(const Case& c, const Circumstances& how, Arguments& arguments,
                         Execution& execution) {
  ErrorText error;
  const std::vector<std::byte> said(arguments.bytes(), arguments.bytes() + arguments.known_size());
  const ProcessState before = ProcessState::now();
  std::uint64_t allocations = 0;
  {
    const AllocationCounter counter;
    const auto begin = std::chrono::steady_clock::now();
    execution.status = call(plugin_, c.op, arguments, error.get());
    allocations = counter.count();
    if (!plugin_.is_host() && execution.status == TL_OK) wait_for_result(c, how, execution, error);
    execution.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const std::string changed = before.difference(ProcessState::now());
  if (!std::equal(said.begin(), said.end(), arguments.bytes()))
    execution.faults.emplace_back("changed its arguments");
  if (!changed.empty()) execution.faults.push_back("changed " + changed + " of the process");
  if (execution.status == TL_OK) {
    // Elsewhere the driver's own are among them, and work that waits has to be kept somewhere.
    if (allocations && plugin_.is_host())
      execution.faults.push_back("allocated " + std::to_string(allocations) + " times");
  } else if (offers(plugin_, c.op)) {
    execution.reason = error.text();
    if (const std::string fault = error.fault(); !fault.empty()) execution.faults.push_back(fault);
  }
}

Execution Stage::run(const Case& c, const Arrays& arrays, const Circumstances& how) {
  const auto views = set_up(c, arrays, how);
  set_workers(how.workers);
  Execution execution;

  const auto bare = without_memory(views);
  std::vector<const tl_view*> bare_views(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) bare_views[i] = views[i] ? &bare[i] : nullptr;
  Arguments question(c, bare_views);
  ErrorText error;
  execution.supported = ask(plugin_, c.op, question, execution.support, error.get());
  if (execution.supported != TL_OK && is_primitive(c.op)) {
    if (const std::string fault = error.fault(); !fault.empty())
      execution.faults.push_back("supports " + fault);
  }
  Arguments arguments(c, views);
  arguments.head()->workspace = make_workspace(execution.support.workspace_bytes);
  watched_call(c, how, arguments, execution);
  if (plugin_.is_host()) note_outputs(c, how);
  if (execution.supported != TL_OK && is_primitive(c.op)) execution.reason = error.text();
  collect(c, how, execution);
  return execution;
}

void Stage::collect(const Case& c, const Circumstances& how, Execution& execution) {
  const bool declares = is_primitive(c.op);
  if (declares && execution.supported == TL_OK && execution.status != TL_OK) {
    execution.faults.push_back("did not do what supports promised: " + execution.reason);
  }
  if (declares && execution.supported != TL_OK && execution.status == TL_OK) {
    execution.faults.push_back("did what supports had declined: " + execution.reason);
  }
  if ((c.op == Op::map || c.op == Op::zip) && execution.support.workspace_bytes) {
    execution.faults.emplace_back("asked for a workspace, which map and zip don't get");
  }
  const std::string fault = memory_fault(c, execution.status == TL_OK, how.in_place_of);
  if (!fault.empty()) execution.faults.push_back(fault);
  execution.outputs.resize(c.operands.size());
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    if (!slots(c.op)[i].is_output || !c.operands[i].present) continue;
    const bool moved = how.in_place_of >= 0 && i == slot(c.op, "output");
    const auto from = moved ? static_cast<std::size_t>(how.in_place_of) : i;
    execution.outputs[i] = memory(c.op, from).elements();
  }
}

std::string Stage::memory_fault(const Case& c, bool outputs_may_change, int in_place_of) {
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    if (!c.operands[i].present) continue;
    const bool moved = in_place_of >= 0 && i == slot(c.op, "output");  // nothing may happen there
    const bool is_output = (slots(c.op)[i].is_output && !moved) || static_cast<int>(i) == in_place_of;
    memory(c.op, i).fetch();
    const std::string fault = memory(c.op, i).fault(is_output && outputs_may_change);
    if (!fault.empty()) return fault;
  }
  return workspace_.fault(true);
}

}  // namespace torchlight::test
