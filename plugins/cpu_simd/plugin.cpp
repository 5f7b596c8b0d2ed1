#include <torchlight/plugin.h>

#include <cstdio>

#include "common/by_primitive.h"
#include "isa.h"
#include "kernel_set.h"
#include "parallel.h"
#include "shared.h"

TL_PLUGIN_NOTE("cpu_simd", CPU_SIMD_VERSION, 0);

struct tl_device {
  const cpu_simd::KernelSet* kernels;
};

namespace cpu_simd {
namespace {

const tl_host* core = nullptr;
tl_device the_device{nullptr};

const KernelSet* chosen_kernels(tl_error* error) noexcept {
  return choose_kernels(core->setting(core, "TORCHLIGHT_SIMD"), error);
}

int32_t device_count(uint32_t* count, tl_error*) noexcept {
  *count = 1;
  return TL_OK;
}

int32_t device_info(uint32_t index, tl_device_info* info, tl_error* error) noexcept {
  if (index != 0) return fail(TL_E_ARGUMENT, error, "there is no device %u, only 0", index);
  const KernelSet* kernels = chosen_kernels(error);
  if (!kernels) return TL_E_ARGUMENT;
  tl_device_info full{};
  full.memory_space = TL_SPACE_HOST;
  std::snprintf(full.description, sizeof full.description, "this machine's processor, vector code");
  std::snprintf(full.instruction_set, sizeof full.instruction_set, "%s", kernels->name);
  fill_answer(*info, full);
  return TL_OK;
}

int32_t open(uint32_t index, tl_device** device, tl_error* error) noexcept {
  if (index != 0) return fail(TL_E_ARGUMENT, error, "there is no device %u, only 0", index);
  const KernelSet* kernels = chosen_kernels(error);
  if (!kernels) return TL_E_ARGUMENT;
  the_device.kernels = kernels;
  *device = &the_device;
  return TL_OK;
}

void close(tl_device*) noexcept {}

/// A primitive of the table: check, then the kernels of the chosen instruction set.
template <auto kernel, class Args>
int32_t primitive(tl_device* device, tl_stream*, const Args* args, tl_error* error) noexcept {
  if (int32_t status = check(*args, nullptr, error)) return status;
  return (device->kernels->*kernel)(*args, error);
}

int32_t supports(tl_device*, uint32_t primitive, const tl_args* args, tl_support* answer,
                 tl_error* error) noexcept {
  return plugins::with_arguments(primitive, args, error,
                                 [&](const auto& own) { return check(own, answer, error); });
}

/// A function of an extension's table, likewise.
template <auto kernel, auto accepts, class Args>
int32_t extra(tl_device* device, tl_stream*, const Args* args, tl_error* error) noexcept {
  if (int32_t status = accepts(*args, error)) return status;
  return (device->kernels->*kernel)(*args, error);
}

constexpr tl_index_table index_table{sizeof(tl_index_table), 1,
                                     extra<&KernelSet::gather, check_gather, tl_index_args>,
                                     extra<&KernelSet::scatter_add, check_scatter_add, tl_index_args>};
constexpr tl_scan_table scan_table{sizeof(tl_scan_table), 1,
                                   extra<&KernelSet::scan, check_scan, tl_scan_args>};
constexpr tl_random_table random_table{sizeof(tl_random_table), 1,
                                       extra<&KernelSet::random, check_random, tl_random_args>};

constexpr tl_optim_table optim_table{sizeof(tl_optim_table), 1,
                                     extra<&KernelSet::optim, check_optim, tl_optim_args>};

const void* extension(tl_device*, const char* id) noexcept {
  return plugins::Extensions{&index_table, &scan_table, &random_table, &optim_table}.find(id);
}

constexpr tl_backend make_table() noexcept {
  tl_backend table{};
  table.size = sizeof table;
  table.abi_major = TL_ABI_MAJOR;
  table.abi_minor = TL_ABI_MINOR;
  table.name = "cpu_simd";
  table.version = CPU_SIMD_VERSION;
  table.device_count = device_count;
  table.device_info = device_info;
  table.open = open;
  table.close = close;
  table.supports = supports;
  table.extension = extension;
  table.map = primitive<&KernelSet::map, tl_map_args>;
  table.zip = primitive<&KernelSet::zip, tl_zip_args>;
  table.reduce = primitive<&KernelSet::reduce, tl_reduce_args>;
  table.matmul = primitive<&KernelSet::matmul, tl_matmul_args>;
  table.attn_softmax_fw = primitive<&KernelSet::attn_softmax_fw, tl_attn_softmax_fw_args>;
  table.attn_softmax_bw = primitive<&KernelSet::attn_softmax_bw, tl_attn_softmax_bw_args>;
  table.layernorm_fw = primitive<&KernelSet::layernorm_fw, tl_layernorm_fw_args>;
  table.layernorm_bw = primitive<&KernelSet::layernorm_bw, tl_layernorm_bw_args>;
  return table;
}

constexpr tl_backend the_table = make_table();

}  // namespace
}  // namespace cpu_simd

int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend,
                             tl_error* error) noexcept {
  using namespace cpu_simd;
  if (!host || host->size < TL_HOST_SIZE_0)
    return fail(TL_E_ARGUMENT, error, "the core offers less than ABI %d.0", TL_ABI_MAJOR);
  core = host;
  use_pool(static_cast<const tl_host_parallel*>(host->extension(host, TL_EXT_HOST_PARALLEL)));
  *backend = &the_table;
  return TL_OK;
}
