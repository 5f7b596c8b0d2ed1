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
#include "memory.h"
#include "staging.h"

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

/// use(view, is_output) for each view that a drop-in is given.
template <class Use> void each_view(tl_map_args& a, Use use) noexcept {
  use(a.input, false), use(a.output, true);
}
template <class Use> void each_view(tl_zip_args& a, Use use) noexcept {
  use(a.inputs[0], false), use(a.inputs[1], false), use(a.output, true);  // no drop-in takes three
}
template <class Use> void each_view(tl_reduce_args& a, Use use) noexcept {
  use(a.input, false), use(a.output, true);
}
template <class Use> void each_view(tl_matmul_args& a, Use use) noexcept {
  use(a.a, false), use(a.b, false), use(a.bias, false), use(a.output, true);
}
template <class Use> void each_view(tl_attn_softmax_fw_args& a, Use use) noexcept {
  use(a.input, false), use(a.mask, false), use(a.output, true);
}
template <class Use> void each_view(tl_attn_softmax_bw_args& a, Use use) noexcept {
  use(a.grad, false), use(a.soft, false), use(a.output, true);
}
template <class Use> void each_view(tl_layernorm_fw_args& a, Use use) noexcept {
  use(a.input, false), use(a.gamma, false), use(a.beta, false);
  use(a.output, true), use(a.mean, true), use(a.rstd, true);
}
template <class Use> void each_view(tl_layernorm_bw_args& a, Use use) noexcept {
  use(a.grad, false), use(a.input, false), use(a.gamma, false), use(a.mean, false), use(a.rstd, false);
  use(a.dinput, true), use(a.dgamma, true), use(a.dbeta, true);
}

/// A drop-in sees memory as it is, so a view must lie in a block as it must for our own kernels.
template <class Args> int32_t check_views(const Call& call, Args args) noexcept {
  int32_t status = TL_OK;
  each_view(args, [&](const tl_view* view, bool) {
    if (status == TL_OK) status = check_memory(&call.device(), {view}, call.error());
  });
  return status;
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

/// Whatever isn't TL_OK has its words in the call's error; a drop-in's own failure in `problem`, too.
template <class Args> int32_t run_taken(const Call& call, Args args, std::string& problem) {
  Staging staging(call);
  int32_t status = TL_OK;
  if (!drop_ins_reach_memory()) {
    each_view(args, [&](const tl_view*& view, bool is_output) {
      if (status == TL_OK) status = staging.bring(view, is_output);
    });
    if (status == TL_OK) status = staging.wait();
    if (status != TL_OK) return status;
  }
  status = drop_ins->run(args, problem);
  if (status == TL_OK) return staging.give_back();
  return plugins::fail(status, call.error(), "%s", problem.c_str());
}

template <class Args> bool run_drop_in(const Call& call, const Args& args, int32_t* status) noexcept {
  if (misses_drop_in(call, args)) return *status = TL_E_INTERNAL, true;
  if (!has_drop_in(args)) return false;
  if ((*status = check_first(call, args)) != TL_OK) return true;
  try {
    std::string problem;
    *status = run_taken(call, args, problem);
    if (*status == TL_OK || problem.empty() || must_not_fall_back()) return true;
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
