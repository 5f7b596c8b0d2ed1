#include <torchlight/plugin.h>

#include <cstring>

#include "common/by_primitive.h"
#include "common/check.h"
#include "common/check_common.h"
#include "common/errors.h"
#include "device.h"
#include "device_setup.h"
#include "memory.h"
#include "primitives.h"
#include "routing.h"

// The twin is built of the same files under a name of its own.
#ifndef TL_PLUGIN_NAME
#define TL_PLUGIN_NAME "cuda"
#endif

TL_PLUGIN_NOTE(TL_PLUGIN_NAME, TL_PLUGIN_VERSION, 0);

namespace cuda_backend {
namespace {

/// A primitive of the table: check, then plan and enqueue.
template <auto run, const char* name, class Args>
int32_t primitive(tl_device* device, tl_stream* stream, const Args* args, tl_error* error) noexcept {
  if (int32_t status = plugins::check(*args, nullptr, error)) return status;
  Call call(device, stream, name, error);
  int32_t status = TL_OK;
  if (run_drop_in(call, *args, &status)) return status;
  return only_drop_ins() ? decline_own_kernel(*args, error) : run(call, *args);
}

/// A function of an extension's table, likewise.
template <auto run, auto accepts, const char* name, class Args>
int32_t extra(tl_device* device, tl_stream* stream, const Args* args, tl_error* error) noexcept {
  if (int32_t status = accepts(*args, error)) return status;
  Call call(device, stream, name, error);
  return run(call, *args);
}

int32_t supports(tl_device*, uint32_t primitive, const tl_args* args, tl_support* answer,
                 tl_error* error) noexcept {
  return plugins::with_arguments(primitive, args, error, [&](const auto& own) {
    const int32_t status = plugins::check(own, answer, error);
    if (status != TL_OK) return status;
    const bool taken = has_drop_in(own);
    // What foreign code does with the same inputs, nobody knows.
    if (taken) answer->traits &= ~uint32_t{TL_TRAIT_REPEATABLE};
    if (!only_drop_ins()) return status;
    // Promised by the own kernel, as is the workspace, and it won't stand in.
    plugins::answer_support(answer, taken ? answer->traits : 0, 0);
    return taken ? status : decline_own_kernel(own, error);
  });
}

constexpr char name_map[] = "map", name_zip[] = "zip", name_reduce[] = "reduce",
               name_matmul[] = "matmul", name_softmax_fw[] = "attn_softmax_fw",
               name_softmax_bw[] = "attn_softmax_bw", name_layernorm_fw[] = "layernorm_fw",
               name_layernorm_bw[] = "layernorm_bw", name_gather[] = "gather",
               name_scatter_add[] = "scatter_add", name_scan[] = "scan", name_random[] = "random",
               name_optim[] = "optim";

constexpr tl_index_table index_table{
    sizeof(tl_index_table), 1, extra<gather, plugins::check_gather, name_gather, tl_index_args>,
    extra<scatter_add, plugins::check_scatter_add, name_scatter_add, tl_index_args>};
constexpr tl_scan_table scan_table{sizeof(tl_scan_table), 1,
                                   extra<scan, plugins::check_scan, name_scan, tl_scan_args>};
constexpr tl_random_table random_table{
    sizeof(tl_random_table), 1, extra<random, plugins::check_random, name_random, tl_random_args>};
constexpr tl_optim_table optim_table{sizeof(tl_optim_table), 1,
                                     extra<optim, plugins::check_optim, name_optim, tl_optim_args>};

constexpr tl_details_table details_table{sizeof(tl_details_table), 1, describe_drop_ins};

const void* extension(tl_device*, const char* id) noexcept {
  if (std::strcmp(id, TL_EXT_DETAILS) == 0) return &details_table;
  if (only_drop_ins()) return nullptr;  // which know none of the others
  return plugins::Extensions{&index_table, &scan_table, &random_table, &optim_table}.find(id);
}

constexpr tl_backend make_table() noexcept {
  tl_backend table{};
  table.size = sizeof table;
  table.abi_major = TL_ABI_MAJOR;
  table.abi_minor = TL_ABI_MINOR;
  table.name = TL_PLUGIN_NAME;
  table.version = TL_PLUGIN_VERSION;
  table.device_count = device_count;
  table.device_info = device_info;
  table.open = open_device;
  table.close = close_device;
  table.allocate = allocate;
  table.release = release;
  table.copy = copy;
  table.stream_open = stream_open;
  table.stream_close = stream_close;
  table.stream_poll = stream_poll;
  table.stream_sync = stream_sync;
  table.event_open = event_open;
  table.event_close = event_close;
  table.event_record = event_record;
  table.event_wait = event_wait;
  table.event_poll = event_poll;
  table.supports = supports;
  table.extension = extension;
  table.map = primitive<map, name_map, tl_map_args>;
  table.zip = primitive<zip, name_zip, tl_zip_args>;
  table.reduce = primitive<reduce, name_reduce, tl_reduce_args>;
  table.matmul = primitive<matmul, name_matmul, tl_matmul_args>;
  table.attn_softmax_fw = primitive<attn_softmax_fw, name_softmax_fw, tl_attn_softmax_fw_args>;
  table.attn_softmax_bw = primitive<attn_softmax_bw, name_softmax_bw, tl_attn_softmax_bw_args>;
  table.layernorm_fw = primitive<layernorm_fw, name_layernorm_fw, tl_layernorm_fw_args>;
  table.layernorm_bw = primitive<layernorm_bw, name_layernorm_bw, tl_layernorm_bw_args>;
  return table;
}

constexpr tl_backend the_table = make_table();

}  // namespace
}  // namespace cuda_backend

int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend,
                             tl_error* error) noexcept {
  if (!host || host->size < TL_HOST_SIZE_0)
    return plugins::fail(TL_E_ARGUMENT, error, "the core offers less than ABI %d.0", TL_ABI_MAJOR);
  cuda_backend::set_up_process(host);
  cuda_backend::find_drop_ins(host);
  *backend = &cuda_backend::the_table;
  return TL_OK;
}
