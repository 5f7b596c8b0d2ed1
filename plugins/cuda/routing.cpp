#include "routing.h"

#include <atomic>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string>

#include "common/check_common.h"
#include "common/errors.h"
#include "device_setup.h"
#include "drop_ins.h"
#include "find.h"
#include "memory.h"

namespace cuda_backend {
namespace {

using torchlight::drop_ins::DropIns;

// Never destroyed: calls may come until the process ends.
DropIns* drop_ins = nullptr;
const tl_host* the_host = nullptr;
bool only = false;

template <class Args> constexpr const char* name_of = nullptr;
template <> constexpr const char* name_of<tl_map_args> = "map";
template <> constexpr const char* name_of<tl_zip_args> = "zip";
template <> constexpr const char* name_of<tl_reduce_args> = "reduce";
template <> constexpr const char* name_of<tl_matmul_args> = "matmul";
template <> constexpr const char* name_of<tl_attn_softmax_fw_args> = "attn_softmax_fw";
template <> constexpr const char* name_of<tl_attn_softmax_bw_args> = "attn_softmax_bw";
template <> constexpr const char* name_of<tl_layernorm_fw_args> = "layernorm_fw";
template <> constexpr const char* name_of<tl_layernorm_bw_args> = "layernorm_bw";

// A drop-in sees the host's memory as it is, so a view must lie in a block as it must for our own kernels.
int32_t check_views(const Call& call, std::initializer_list<const tl_view*> views) noexcept {
  return check_memory(&call.device(), views, call.error());
}
int32_t check_views(const Call& call, const tl_map_args& a) noexcept {
  return check_views(call, {a.input, a.output});
}
int32_t check_views(const Call& call, const tl_zip_args& a) noexcept {
  return check_views(call, {a.inputs[0], a.inputs[1], a.output});  // no drop-in takes three
}
int32_t check_views(const Call& call, const tl_reduce_args& a) noexcept {
  return check_views(call, {a.input, a.output});
}
int32_t check_views(const Call& call, const tl_matmul_args& a) noexcept {
  return check_views(call, {a.a, a.b, a.bias, a.output});
}
int32_t check_views(const Call& call, const tl_attn_softmax_fw_args& a) noexcept {
  return check_views(call, {a.input, a.mask, a.output});
}
int32_t check_views(const Call& call, const tl_attn_softmax_bw_args& a) noexcept {
  return check_views(call, {a.grad, a.soft, a.output});
}
int32_t check_views(const Call& call, const tl_layernorm_fw_args& a) noexcept {
  return check_views(call, {a.input, a.gamma, a.beta, a.output, a.mean, a.rstd});
}
int32_t check_views(const Call& call, const tl_layernorm_bw_args& a) noexcept {
  return check_views(call, {a.grad, a.input, a.gamma, a.mean, a.rstd, a.dinput, a.dgamma, a.dbeta});
}

/// What our own kernels look at, each for itself, before they work.
template <class Args> int32_t check_first(const Call& call, const Args& args) noexcept {
  if (int32_t status = call.stream().check(call.error())) return status;
  return check_views(call, args);
}

bool is_set(const tl_host* host, const char* name, const char* wanted) noexcept {
  const char* value = host ? host->setting(host, name) : nullptr;
  return value && std::strcmp(value, wanted) == 0;
}

bool must_not_fall_back() noexcept {
  return is_set(the_host, "TORCHLIGHT_FALLBACK", "error") || only_drop_ins();
}

void warn(const tl_host* host, const std::string& text) { host->log(host, TL_LOG_WARN, text.c_str()); }

}  // namespace

void find_drop_ins(const tl_host* host) noexcept {
  if (drop_ins) return;
  only = is_set(host, "TORCHLIGHT_DROP_INS", "only");
  try {
    torchlight::drop_ins::Options options = torchlight::drop_ins::options_from(*host, &the_host);
    if (!drop_ins_reach_memory()) {
      if (torchlight::drop_ins::names_drop_ins(options))
        warn(host, "TORCHLIGHT_CUDA_KERNEL_DIR holds kernel drop-ins, which the device " TL_PLUGIN_NAME
                   " doesn't use in this version");
      return;
    }
    set_drop_in_compiler(options);
    the_host = host;
    drop_ins = new DropIns(options);
    for (const std::string& refused : drop_ins->refused())
      warn(host, "not used as a kernel drop-in: " + refused);
  } catch (const std::exception& problem) {
    host->log(host, TL_LOG_WARN,
              (std::string("kernel drop-ins are ignored: ") + problem.what()).c_str());
  }
}

bool only_drop_ins() noexcept { return only; }

/// Says once for each primitive and answer where its calls go, if there is a file for it at all.
template <class Args> void tell(bool taken, const std::string& why_not) {
  static std::atomic<bool> told[2];
  if ((!taken && why_not.empty()) || told[taken].exchange(true)) return;
  const std::string text =
      taken ? "goes to a kernel drop-in" : "isn't done by a kernel drop-in: " + why_not;
  the_host->log(the_host, TL_LOG_INFO, (std::string(name_of<Args>) + " " + text).c_str());
}

template <class Args> bool has_drop_in(const Args& args) noexcept {
  if (!drop_ins) return false;
  try {
    std::string why_not;
    const bool taken = drop_ins->takes(args, &why_not);
    tell<Args>(taken, why_not);
    return taken;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// Whether the call would go to a drop-in that isn't used any more, and nothing may stand in for it.
template <class Args> bool misses_drop_in(const Call& call, const Args& args) noexcept {
  if (!drop_ins) return false;
  std::string why;
  if (!drop_ins->gave_up(args, why) || !must_not_fall_back()) return false;
  plugins::fail(TL_E_INTERNAL, call.error(), "%s", why.c_str());
  return true;
}

template <class Args> bool run_drop_in(const Call& call, const Args& args, int32_t* status) noexcept {
  if (misses_drop_in(call, args)) return *status = TL_E_INTERNAL, true;
  if (!has_drop_in(args)) return false;
  if ((*status = check_first(call, args)) != TL_OK) return true;
  try {
    std::string problem;
    *status = drop_ins->run(args, problem);
    if (*status == TL_OK) return true;
    plugins::fail(*status, call.error(), "%s", problem.c_str());
    if (must_not_fall_back()) return true;
    the_host->log(the_host, TL_LOG_WARN, (problem + "; doing it by the own kernel").c_str());
  } catch (const std::bad_alloc&) {
    *status = plugins::fail(TL_E_MEMORY, call.error(), "no memory for a drop-in's call");
    return true;
  }
  *status = TL_OK;
  return false;
}

template <class Args> int32_t decline_own_kernel(const Args& args, tl_error* error) noexcept {
  try {
    std::string why_not;
    if (drop_ins) drop_ins->takes(args, &why_not);
    if (why_not.empty()) why_not = "no kernel drop-in does this";
    return plugins::fail(TL_DECLINED, error, "%s", why_not.c_str());
  } catch (const std::bad_alloc&) {
    return plugins::fail(TL_E_MEMORY, error, "no memory to say why no drop-in does this");
  }
}

int32_t describe_drop_ins(tl_device*, const tl_details_args* args, tl_error* error) noexcept {
  if (int32_t status = plugins::check_head(args->head, TL_DETAILS_ARGS_SIZE_0, error)) return status;
  if (args->thorough > 1 || args->reserved != 0)
    return plugins::fail(TL_DECLINED, error, "how to describe is 0 or 1, not %u", args->thorough);
  if (!drop_ins) return TL_OK;
  try {
    using torchlight::drop_ins::Look;
    const auto listing = drop_ins->list(args->thorough ? Look::thorough : Look::quick);
    if (listing.is_empty()) return TL_OK;
    const std::string text = text_of(listing), json = json_of(listing);
    const tl_detail detail{sizeof detail, !listing.is_complete(), "drop_ins", text.c_str(),
                           json.c_str()};
    args->tell(args->context, &detail);
    return TL_OK;
  } catch (const std::exception&) {
    return plugins::fail(TL_E_MEMORY, error, "no memory for the list of kernel drop-ins");
  }
}

#define TL_ROUTED(Args)                                                   \
  template bool has_drop_in(const Args&) noexcept;                        \
  template bool run_drop_in(const Call&, const Args&, int32_t*) noexcept; \
  template int32_t decline_own_kernel(const Args&, tl_error*) noexcept;
TL_ROUTED(tl_map_args)
TL_ROUTED(tl_zip_args)
TL_ROUTED(tl_reduce_args)
TL_ROUTED(tl_matmul_args)
TL_ROUTED(tl_attn_softmax_fw_args)
TL_ROUTED(tl_attn_softmax_bw_args)
TL_ROUTED(tl_layernorm_fw_args)
TL_ROUTED(tl_layernorm_bw_args)
#undef TL_ROUTED

}  // namespace cuda_backend
