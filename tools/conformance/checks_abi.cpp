#include <cstring>
#include <functional>

#include "checks.h"

namespace torchlight::test {
namespace {

constexpr std::size_t tail = 32;

/// A view of a caller from the future.
struct LongView {
  tl_view view;
  std::byte more[tail];
};

/// A call that can be spoilt: views of its own, and the argument struct that points to them.
class Spoilt {
 public:
  Spoilt(const Case& c, const std::vector<const tl_view*>& views)
      : views_(views.size()), pointers_(views.size()) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (!views[i]) continue;
      std::memset(static_cast<void*>(&views_[i]), 0, sizeof(LongView));
      views_[i].view = *views[i];
      pointers_[i] = &views_[i].view;
    }
    arguments_ = std::make_unique<Arguments>(c, pointers_);
  }

  Arguments& arguments() { return *arguments_; }
  LongView& view(std::size_t i) { return views_[i]; }
  bool has(std::size_t i) const { return pointers_[i] != nullptr; }
  /// The struct as its own type.
  template <class T> T& as() { return *reinterpret_cast<T*>(arguments_->bytes()); }

 private:
  std::vector<LongView> views_;
  std::vector<const tl_view*> pointers_;
  std::unique_ptr<Arguments> arguments_;
};

struct Spoiling {
  std::string name;
  bool only_declined;  ///< the contract says TL_DECLINED, not just "not done"
  std::function<void(Spoilt&)> apply;
};

/// Whether another view says how long the first axis of this one must be.
bool is_tied(const Case& c, std::size_t i) {
  if (c.operands[i].layout.extent.empty()) return false;
  switch (c.op) {
    case Op::gather:
    case Op::scatter_add:
    case Op::random: return false;
    case Op::map: return c.operands[0].present;
    case Op::reduce: return i == 1 || !(c.axis_mask & 1);
    default: return true;
  }
}

void spoil_views(const Case& c, std::vector<Spoiling>& list) {
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    if (!c.operands[i].present) continue;
    const std::string of = std::string(" of ") + slots(c.op)[i].name;
    list.push_back({"an unknown dtype" + of, true, [i](Spoilt& s) {
                      s.view(i).view.dtype = {7, 12, 1};
                    }});
    list.push_back({"two lanes" + of, true, [i](Spoilt& s) { s.view(i).view.dtype.lanes = 2; }});
    list.push_back(
        {"an unknown view flag" + of, true, [i](Spoilt& s) { s.view(i).view.flags |= 1u << 30; }});
    list.push_back({"rank 9" + of, false, [i](Spoilt& s) { s.view(i).view.rank = 9; }});
    list.push_back(
        {"a view too short to be one" + of, false, [i](Spoilt& s) { s.view(i).view.size = 8; }});
    list.push_back({"a longer view that says more" + of, true, [i](Spoilt& s) {
                      s.view(i).view.size = sizeof(LongView);
                      s.view(i).more[tail - 1] = std::byte{1};
                    }});
    if (is_tied(c, i)) {
      list.push_back({"another extent" + of, false, [i](Spoilt& s) { ++s.view(i).view.extent[0]; }});
    }
  }
}

template <class T> Spoiling reserved() {
  return {"a reserved field in use", true, [](Spoilt& s) { s.as<T>().reserved = 1; }};
}

void spoil_required_views(const Case& c, std::vector<Spoiling>& list) {
  constexpr std::size_t head = sizeof(tl_args);
  switch (c.op) {
    case Op::map:
      list.push_back({"no output", false, [](Spoilt& s) { s.as<tl_map_args>().output = nullptr; }});
      break;
    case Op::zip:
      list.push_back(
          {"no second input", false, [](Spoilt& s) { s.as<tl_zip_args>().inputs[1] = nullptr; }});
      list.push_back({"no output", false, [](Spoilt& s) { s.as<tl_zip_args>().output = nullptr; }});
      break;
    case Op::reduce:
      list.push_back({"no input", false, [](Spoilt& s) { s.as<tl_reduce_args>().input = nullptr; }});
      break;
    default: break;
  }
  if (c.op != Op::map) return;
  list.push_back(
      {"a struct of its head alone", false, [](Spoilt& s) { s.arguments().head()->size = head; }});
}

void spoil_elementwise(const Case& c, std::vector<Spoiling>& list) {
  if (c.op == Op::map) {
    list.push_back({"an unknown function", true, [](Spoilt& s) { s.as<tl_map_args>().fn = 60'000; }});
    list.push_back({"function 0", true, [](Spoilt& s) { s.as<tl_map_args>().fn = TL_FN_NONE; }});
    list.push_back(
        {"a parameter too many", false, [](Spoilt& s) { ++s.as<tl_map_args>().param_count; }});
    list.push_back({"five parameters", false, [](Spoilt& s) { s.as<tl_map_args>().param_count = 5; }});
  }
  if (c.op == Op::zip) {
    list.push_back({"an unknown function", true, [](Spoilt& s) { s.as<tl_zip_args>().fn = 60'000; }});
    list.push_back({"four inputs", false, [](Spoilt& s) { s.as<tl_zip_args>().input_count = 4; }});
    list.push_back({"one input", false, [](Spoilt& s) { s.as<tl_zip_args>().input_count = 1; }});
    list.push_back(
        {"a parameter too many", false, [](Spoilt& s) { ++s.as<tl_zip_args>().param_count; }});
    list.push_back(reserved<tl_zip_args>());
  }
  if (c.op == Op::reduce) {
    list.push_back(
        {"an unknown function", true, [](Spoilt& s) { s.as<tl_reduce_args>().fn = 60'000; }});
    list.push_back({"an axis beyond the rank", false, [&c](Spoilt& s) {
                      s.as<tl_reduce_args>().axis_mask |= 1u << c.operands[0].layout.extent.size();
                    }});
  }
}

void spoil_others(const Case& c, std::vector<Spoiling>& list) {
  const auto rank = static_cast<std::uint32_t>(c.operands[0].layout.extent.size());
  switch (c.op) {
    case Op::matmul:
      list.push_back(reserved<tl_matmul_args>());
      list.push_back({"an unknown activation", true,
                      [](Spoilt& s) { s.as<tl_matmul_args>().activation = 60'000; }});
      list.push_back({"an activation with parameters", true,
                      [](Spoilt& s) { s.as<tl_matmul_args>().activation = TL_MAP_clamp; }});
      break;
    case Op::attn_softmax_fw:
      list.push_back(reserved<tl_attn_softmax_fw_args>());
      list.push_back(
          {"causal = 2", false, [](Spoilt& s) { s.as<tl_attn_softmax_fw_args>().causal = 2; }});
      break;
    case Op::layernorm_fw:
      list.push_back(reserved<tl_layernorm_fw_args>());
      list.push_back({"no normalised axis", false,
                      [](Spoilt& s) { s.as<tl_layernorm_fw_args>().normalized = 0; }});
      list.push_back({"too many normalised axes", false,
                      [rank](Spoilt& s) { s.as<tl_layernorm_fw_args>().normalized = rank + 1; }});
      break;
    case Op::layernorm_bw:
      list.push_back(reserved<tl_layernorm_bw_args>());
      list.push_back({"too many normalised axes", false,
                      [rank](Spoilt& s) { s.as<tl_layernorm_bw_args>().normalized = rank + 1; }});
      break;
    case Op::gather:
    case Op::scatter_add:
      list.push_back(reserved<tl_index_args>());
      list.push_back(
          {"an axis beyond the rank", false, [rank](Spoilt& s) { s.as<tl_index_args>().axis = rank; }});
      break;
    case Op::scan:
      list.push_back(reserved<tl_scan_args>());
      list.push_back(
          {"an unknown function", true, [](Spoilt& s) { s.as<tl_scan_args>().fn = 60'000; }});
      list.push_back(
          {"an axis beyond the rank", false, [rank](Spoilt& s) { s.as<tl_scan_args>().axis = rank; }});
      break;
    case Op::random:
      list.push_back({"an unknown distribution", true,
                      [](Spoilt& s) { s.as<tl_random_args>().distribution = 60'000; }});
      break;
    case Op::optim:
      list.push_back({"an unknown rule", true, [](Spoilt& s) { s.as<tl_optim_args>().fn = 60'000; }});
      list.push_back({"an unknown flag of the rule", true,
                      [](Spoilt& s) { s.as<tl_optim_args>().flags = 1u << 30; }});
      list.push_back({"items of a caller from the future", true,
                      [](Spoilt& s) { s.as<tl_optim_args>().item_size += 8; }});
      list.push_back({"items too short to be some", false,
                      [](Spoilt& s) { s.as<tl_optim_args>().item_size = 8; }});
      list.push_back({"no items", false, [](Spoilt& s) { s.as<tl_optim_args>().items = nullptr; }});
      list.push_back({"an item without a parameter", false,
                      [](Spoilt& s) { s.arguments().items()[0].param = nullptr; }});
      list.push_back({"an item without a gradient", false,
                      [](Spoilt& s) { s.arguments().items()[0].grad = nullptr; }});
      if (c.fn == TL_OPTIM_SGD) break;
      list.push_back({"an item without its second state", false,
                      [](Spoilt& s) { s.arguments().items()[0].state[1] = nullptr; }});
      break;
    default: break;
  }
}

std::vector<Spoiling> spoilings(const Case& c) {
  std::vector<Spoiling> list;
  list.push_back({"an unknown flag", true, [](Spoilt& s) { s.arguments().head()->flags = 1u << 31; }});
  list.push_back({"a longer struct that says more", true,
                  [](Spoilt& s) { s.arguments().lengthen(tail, std::byte{1}); }});
  spoil_views(c, list);
  spoil_required_views(c, list);
  spoil_elementwise(c, list);
  spoil_others(c, list);
  return list;
}

std::string judge(std::int32_t status, const Spoiling& spoiling, const ErrorText& error,
                  const char* who) {
  if (status == TL_OK) return std::string(who) + " accepted " + spoiling.name;
  if (spoiling.only_declined && status != TL_DECLINED) {
    return std::string(who) + " should decline " + spoiling.name + " and gives status " +
           std::to_string(status);
  }
  const std::string fault = error.fault();
  return fault.empty() ? "" : std::string(who) + " " + fault + " when given " + spoiling.name;
}

std::string try_spoilt(Stage& stage, const Trial& trial, const Spoiling& spoiling,
                       const std::vector<const tl_view*>& views, std::uint32_t capacity) {
  const Case& c = trial.c;
  Spoilt spoilt(c, views);
  spoiling.apply(spoilt);
  if (is_primitive(c.op)) {
    tl_support answer;
    ErrorText error(capacity);
    const std::int32_t status = ask(stage.plugin(), c.op, spoilt.arguments(), answer, error.get());
    if (const std::string text = judge(status, spoiling, error, "supports"); !text.empty()) return text;
  }
  spoilt.arguments().head()->workspace = stage.make_workspace(trial.first.support.workspace_bytes);
  ErrorText error(capacity);
  const std::int32_t status = call(stage.plugin(), c.op, spoilt.arguments(), error.get());
  if (const std::string text = judge(status, spoiling, error, name(c.op)); !text.empty()) return text;
  const std::string fault = stage.memory_fault(c, false);
  return fault.empty() ? "" : fault + " though it refused " + spoiling.name;
}

/// A workspace that supports asked for and that isn't there, or not all of it.
std::string check_missing_workspace(Stage& stage, const Trial& trial,
                                    const std::vector<const tl_view*>& views) {
  const std::uint64_t bytes = trial.first.support.workspace_bytes;
  if (bytes == 0) return {};
  for (std::uint64_t there : {std::uint64_t{0}, bytes - 1}) {
    Arguments arguments(trial.c, views);
    arguments.head()->workspace = stage.make_workspace(there);
    ErrorText error;
    const std::int32_t status = call(stage.plugin(), trial.c.op, arguments, error.get());
    if (status != TL_E_ARGUMENT && status != TL_DECLINED) {
      return "wants a workspace of " + std::to_string(bytes) + " bytes, gets " + std::to_string(there) +
             ", and gives status " + std::to_string(status);
    }
    const std::string fault = stage.memory_fault(trial.c, false);
    if (!fault.empty()) return fault + " though its workspace is too small";
  }
  return {};
}

/// The answer's memory, of which the plug-in may use less or more than it knows.
struct Answer {
  tl_support support;
  std::byte more[tail];
};

std::string check_answer(Stage& stage, const Trial& trial, const std::vector<const tl_view*>& views,
                         std::uint32_t size) {
  Answer answer;
  std::memset(static_cast<void*>(&answer), 0x5a, sizeof answer);
  answer.support.size = size;
  Arguments arguments(trial.c, views);
  ErrorText error;
  const std::int32_t status =
      stage.plugin().table().supports(stage.plugin().device(), static_cast<std::uint32_t>(trial.c.op),
                                      arguments.head(), &answer.support, error.get());
  if (status != TL_OK) return "supports refuses an answer of " + std::to_string(size) + " bytes";
  const auto* bytes = reinterpret_cast<const std::byte*>(&answer);
  const std::size_t room = std::min<std::size_t>(size, sizeof(tl_support));
  for (std::size_t i = room; i < sizeof answer; ++i) {
    if (bytes[i] != std::byte{0x5a})
      return "supports wrote beyond an answer of " + std::to_string(size) + " bytes";
  }
  return {};
}

}  // namespace

std::string check_refusals(Stage& stage, const Trial& trial) {
  const auto views = stage.set_up(trial.c, trial.arrays);
  std::uint32_t turn = 0;
  for (const Spoiling& spoiling : spoilings(trial.c)) {
    constexpr std::array<std::uint32_t, 4> capacities = {256, 8, 1, 0};
    const std::string text = try_spoilt(stage, trial, spoiling, views, capacities[turn++ % 4]);
    if (!text.empty()) return text;
    const std::string full = try_spoilt(stage, trial, spoiling, views, 256);
    if (!full.empty()) return full;
  }
  if (const std::string text = check_missing_workspace(stage, trial, views); !text.empty()) return text;
  if (is_primitive(trial.c.op)) {
    Arguments arguments(trial.c, views);
    tl_support answer{sizeof answer, 0, 0};
    ErrorText error;
    const std::int32_t status = stage.plugin().table().supports(stage.plugin().device(), 60'000,
                                                                arguments.head(), &answer, error.get());
    if (status != TL_DECLINED) return "supports doesn't decline an unknown primitive";
  }
  return {};
}

std::string check_sizes(Stage& stage, const Trial& trial) {
  const auto views = stage.set_up(trial.c, trial.arrays);
  if (is_primitive(trial.c.op)) {
    for (std::uint32_t size : {8u, 16u, 16u + 24u}) {
      const std::string text = check_answer(stage, trial, views, size);
      if (!text.empty()) return text;
    }
  }
  Spoilt longer(trial.c, views);
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (longer.has(i)) longer.view(i).view.size = sizeof(LongView);
  }
  longer.arguments().lengthen(tail, std::byte{0});
  longer.arguments().head()->workspace = stage.make_workspace(trial.first.support.workspace_bytes);
  ErrorText error;
  const std::int32_t status = call(stage.plugin(), trial.c.op, longer.arguments(), error.get());
  if (status != TL_OK) return "refuses a longer struct with a zero tail: " + error.text();
  return stage.memory_fault(trial.c, true);
}

std::string check_indices(Stage& stage, const Trial& trial) {
  const bool is_index = trial.c.op == Op::gather || trial.c.op == Op::scatter_add;
  if (!is_index || trial.arrays[1].at.empty() || !stage.plugin().is_host()) return {};
  const auto extent = static_cast<std::int64_t>(trial.c.operands[1].values.a);
  for (std::int64_t bad : {std::int64_t{-1}, extent, INT64_MIN, INT64_MAX}) {
    Trial spoilt{trial.c, trial.arrays, {}, {}};
    Real& last = spoilt.arrays[1].at.back();
    last = static_cast<Real>(bad);
    const auto views = stage.set_up(trial.c, spoilt.arrays);
    Arguments arguments(trial.c, views);
    ErrorText error;
    const std::int32_t status = call(stage.plugin(), trial.c.op, arguments, error.get());
    if (status != TL_E_ARGUMENT)
      return "index " + std::to_string(bad) + " gives status " + std::to_string(status);
    if (error.text().find(std::to_string(bad)) == std::string::npos) {
      return "the text doesn't name the index " + std::to_string(bad) + ": " + error.text();
    }
    const std::string fault = stage.memory_fault(trial.c, false);
    if (!fault.empty()) return fault + " though an index is out of range";
  }
  return {};
}

}  // namespace torchlight::test
