#include "dispatch/run.h"

#include "dispatch/fallback.h"
#include "dispatch/memory.h"
#include "dispatch/observer.h"
#include "support/floating_mode.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::dispatch {
namespace {

/// Undoes what a foreign plug-in did to the floating-point mode of this thread.
class FloatingPointGuard {
 public:
  explicit FloatingPointGuard(const OpenDevice& device) : device_(device) {
    if (!device.trusted()) before_ = floating_mode();
  }
  ~FloatingPointGuard() {
    if (device_.trusted() || floating_mode() == before_) return;
    set_floating_mode(before_);
    if (device_.count_fallback("floating-point mode restored"))
      log::warn(device_.name() + ": a primitive changed the floating-point mode; it was restored");
  }

 private:
  const OpenDevice& device_;
  std::uint64_t before_ = 0;
};

/// Calls the one function of the table that the primitive names; TL_DECLINED where there is none.
std::int32_t call_table(OpenDevice& device, const Call& call, tl_error* error) {
  const tl_backend& table = device.table();
  const auto with = [&](auto function, auto* args) -> std::int32_t {
    return function ? function(device.handle(), nullptr, args, error) : TL_DECLINED;
  };
  const tl_args* args = call.args;
  switch (call.primitive) {
    case Primitive::map: return with(table.map, reinterpret_cast<const tl_map_args*>(args));
    case Primitive::zip: return with(table.zip, reinterpret_cast<const tl_zip_args*>(args));
    case Primitive::reduce: return with(table.reduce, reinterpret_cast<const tl_reduce_args*>(args));
    case Primitive::matmul: return with(table.matmul, reinterpret_cast<const tl_matmul_args*>(args));
    case Primitive::attn_softmax_fw:
      return with(table.attn_softmax_fw, reinterpret_cast<const tl_attn_softmax_fw_args*>(args));
    case Primitive::attn_softmax_bw:
      return with(table.attn_softmax_bw, reinterpret_cast<const tl_attn_softmax_bw_args*>(args));
    case Primitive::layernorm_fw:
      return with(table.layernorm_fw, reinterpret_cast<const tl_layernorm_fw_args*>(args));
    case Primitive::layernorm_bw:
      return with(table.layernorm_bw, reinterpret_cast<const tl_layernorm_bw_args*>(args));
    case Primitive::gather:
    case Primitive::scatter_add: {
      const tl_index_table* index = device.index_table();
      if (!index) return TL_DECLINED;
      return with(call.primitive == Primitive::gather ? index->gather : index->scatter_add,
                  reinterpret_cast<const tl_index_args*>(args));
    }
    case Primitive::scan:
      return device.scan_table()
                 ? with(device.scan_table()->scan, reinterpret_cast<const tl_scan_args*>(args))
                 : TL_DECLINED;
    case Primitive::random:
      return device.random_table()
                 ? with(device.random_table()->fill, reinterpret_cast<const tl_random_args*>(args))
                 : TL_DECLINED;
    case Primitive::optim:
      return device.optim_table()
                 ? with(device.optim_table()->step, reinterpret_cast<const tl_optim_args*>(args))
                 : TL_DECLINED;
  }
  return TL_DECLINED;
}

/// map, zip and the extensions never get scratch memory; asking about them would only cost time.
bool may_want_workspace(Primitive primitive) {
  return primitive >= Primitive::reduce && primitive <= Primitive::layernorm_bw;
}

bool is_offered(const OpenDevice& device, Primitive primitive) {
  switch (primitive) {
    case Primitive::attn_softmax_fw: return device.table().attn_softmax_fw != nullptr;
    case Primitive::attn_softmax_bw: return device.table().attn_softmax_bw != nullptr;
    case Primitive::layernorm_fw: return device.table().layernorm_fw != nullptr;
    case Primitive::layernorm_bw: return device.table().layernorm_bw != nullptr;
    case Primitive::optim: return device.optim_table() != nullptr;
    default: return true;
  }
}

std::int32_t call_device(OpenDevice& device, const Call& call, loader::ErrorText& error) {
  if (!is_offered(device, call.primitive)) return TL_DECLINED;
  device.prepare(static_cast<std::uint32_t>(call.primitive));
  const auto stream = device.use_stream();
  const FloatingPointGuard guard(device);
  if (!may_want_workspace(call.primitive)) return call_table(device, call, error.get());

  tl_support answer{sizeof(tl_support), 0, 0};
  const std::int32_t status = device.table().supports(
      device.handle(), static_cast<std::uint32_t>(call.primitive), call.args, &answer, error.get());
  if (status != TL_OK) return status;
  if (answer.workspace_bytes == 0) return call_table(device, call, error.get());

  const Scratch scratch(device, answer.workspace_bytes);
  tl_view workspace{};
  workspace.size = sizeof(tl_view);
  workspace.dtype = {TL_UINT, 8, 1};
  workspace.rank = 1;
  workspace.flags = TL_VIEW_ALIGNED;
  workspace.base = scratch.memory().base;
  workspace.byte_offset = scratch.memory().byte_offset;
  workspace.block = scratch.memory().block;
  workspace.extent[0] = static_cast<std::int64_t>(answer.workspace_bytes);
  workspace.stride[0] = 1;
  call.args->workspace = &workspace;
  const std::int32_t result = call_table(device, call, error.get());
  call.args->workspace = nullptr;
  return result;
}

bool attempt(OpenDevice& device, const Call& call) {
  loader::ErrorText error;
  const std::int32_t status = call_device(device, call, error);
  if (status == TL_OK) return true;
  if (status == TL_DECLINED) return false;
  loader::check(status, device, call.operation, error);
  return false;
}

void perform(OpenDevice& device, const Call& call) {
  loader::ErrorText error;
  const std::int32_t status = call_device(device, call, error);
  if (status == TL_OK) return;
  if (status == TL_DECLINED) return fall_back(device, call, error.words());
  loader::check(status, device, call.operation, error);
}

/// Does the work, which says whether there was any, and tells this thread's observers of it. Its time
/// includes waiting for the device. Apart, so that a call that nobody observes saves no registers for it.
template <class Work>
[[gnu::noinline, gnu::cold]] bool observe(OpenDevice& device, const Call& call, Work work) {
  if (!innermost_observer()) return work(device, call);
  const auto begin = Observer::Clock::now();
  {
    const Muted muted;
    if (!work(device, call)) return false;
    synchronize(device);
  }
  const auto end = Observer::Clock::now();
  tell([&](Observer& observer) { observer.ran(device, call, begin, end); });
  return true;
}

}  // namespace

bool try_run(OpenDevice& device, const Call& call) {
  if (is_observed()) [[unlikely]]
    return observe(device, call, attempt);
  return attempt(device, call);
}

void run(OpenDevice& device, const Call& call) {
  if (is_observed()) [[unlikely]] {
    observe(device, call, [](OpenDevice& on, const Call& what) { return perform(on, what), true; });
    return;
  }
  perform(device, call);
}

bool allows_in_place(OpenDevice& device, const Call& call) {
  tl_support answer{sizeof(tl_support), 0, 0};
  loader::ErrorText error;
  const std::int32_t status = device.table().supports(
      device.handle(), static_cast<std::uint32_t>(call.primitive), call.args, &answer, error.get());
  return status == TL_OK && (answer.traits & TL_TRAIT_IN_PLACE) != 0;
}

}  // namespace torchlight::dispatch
