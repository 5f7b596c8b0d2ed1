// The primitives of `remote_simd`: all of cpu_simd's kernels and extensions, called on a stream's thread when
// their turn has come, on the memory behind the device's addresses.
#include <array>
#include <deque>
#include <memory>
#include <type_traits>
#include <vector>

#include "calls.h"
#include "common/by_primitive.h"
#include "computing.h"
#include "isa.h"
#include "operand.h"
#include "parallel.h"
#include "shared.h"

namespace remote {
namespace {

const cpu_simd::KernelSet* kernels = nullptr;

using Slots = std::vector<const tl_view**>;

// ---- where a call's arguments hold views; some may be NULL

Slots slots_of(tl_map_args& a) { return {&a.input, &a.output}; }
Slots slots_of(tl_zip_args& a) {
  if (a.input_count < 3) a.inputs[2] = nullptr;
  return {&a.inputs[0], &a.inputs[1], &a.inputs[2], &a.output};
}
Slots slots_of(tl_reduce_args& a) { return {&a.input, &a.output}; }
Slots slots_of(tl_matmul_args& a) { return {&a.a, &a.b, &a.bias, &a.output}; }
Slots slots_of(tl_attn_softmax_fw_args& a) { return {&a.input, &a.mask, &a.output}; }
Slots slots_of(tl_attn_softmax_bw_args& a) { return {&a.grad, &a.soft, &a.output}; }
Slots slots_of(tl_layernorm_fw_args& a) {
  return {&a.input, &a.gamma, &a.beta, &a.output, &a.mean, &a.rstd};
}
Slots slots_of(tl_layernorm_bw_args& a) {
  return {&a.grad, &a.input, &a.gamma, &a.mean, &a.rstd, &a.dinput, &a.dgamma, &a.dbeta};
}
Slots slots_of(tl_index_args& a) { return {&a.source, &a.index, &a.output}; }
Slots slots_of(tl_scan_args& a) { return {&a.input, &a.output}; }
Slots slots_of(tl_random_args& a) { return {&a.output}; }
Slots slots_of(tl_optim_args&) { return {}; }  // in its items
Slots slots_of(std::vector<tl_optim_item>& items) {
  Slots all;
  for (tl_optim_item& item : items)
    all.insert(all.end(), {&item.param, &item.grad, &item.state[0], &item.state[1]});
  return all;
}

/// A struct of the caller's with all of its `size`, and zeros up to what is known of it here.
class Bytes {
 public:
  Bytes(const void* given, std::size_t size, std::size_t known)
      : words_(std::max(size, known) / sizeof(std::uint64_t) + 1) {
    std::memcpy(words_.data(), given, size);
  }
  template <class T> T& as() { return *reinterpret_cast<T*>(words_.data()); }

 private:
  std::vector<std::uint64_t> words_;
};

/// A call, copied out of the caller's memory as cpu_simd wants it: none of its views is a device's.
template <class Args> class Call {
 public:
  explicit Call(const Args& given) : args_(&given, given.head.size, sizeof given) {
    for (const tl_view** slot : slots_of(args())) take(slot);
    take(&args().head.workspace);
    if constexpr (std::is_same_v<Args, tl_optim_args>) {
      if (args().item_size != sizeof(tl_optim_item) || !args().items) return;
      items_.assign(args().items, args().items + args().count);
      args().items = items_.data();
      for (const tl_view** slot : slots_of(items_)) take(slot);
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Args& args() { return args_.template as<Args>(); }

  /// Finds the memory of the views. Failure if one reaches outside of it.
  void find_memory(tl_device& device) {
    for (const tl_view& view : given_) operands_.emplace_back(device, view);
  }
  /// Lets the views look at it, now that it is their turn.
  void place() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      tl_view& view = views_[i].as<tl_view>();
      view.base = operands_[i].data();
      view.byte_offset = 0;
    }
  }

 private:
  void take(const tl_view** slot) {
    if (!*slot) return;
    given_.push_back(**slot);
    *slot = &views_.emplace_back(*slot, (*slot)->size, sizeof(tl_view)).template as<tl_view>();
    views_.back().template as<tl_view>().block = nullptr;
  }

  Bytes args_;
  std::vector<tl_optim_item> items_;
  std::vector<tl_view> given_;
  std::deque<Bytes> views_;
  std::vector<Operand> operands_;
};

/// Does the call later, in its turn; what the kernel reports then is a late failure.
template <class Args, class Kernel>
void enqueue(tl_device* device, tl_stream* given, const char* name, Kernel kernel,
             const std::shared_ptr<Call<Args>>& call) {
  call->find_memory(*device);
  device->stream(given).enqueue({name, [kernel, call] {
                                   std::array<char, 256> text{};
                                   tl_error error{sizeof error, text.size(), text.data()};
                                   call->place();
                                   if (const std::int32_t status = kernel(call->args(), &error))
                                     throw Failure(status, text.data());
                                 }});
}

/// A primitive of the table: checked now, done later.
template <auto kernel, const char* name, class Args>
std::int32_t primitive(tl_device* device, tl_stream* stream, const Args* args,
                       tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const auto call = std::make_shared<Call<Args>>(*args);
    tl_support answer{sizeof answer, 0, 0};
    require(cpu_simd::check(call->args(), &answer, error));
    require_workspace(args->head, answer.workspace_bytes);
    enqueue(device, stream, name, kernels->*kernel, call);
  });
}

/// A function of an extension's table, likewise.
template <auto kernel, auto accepts, const char* name, class Args>
std::int32_t extra(tl_device* device, tl_stream* stream, const Args* args, tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const auto call = std::make_shared<Call<Args>>(*args);
    require(accepts(call->args(), error));
    enqueue(device, stream, name, kernels->*kernel, call);
  });
}

std::int32_t supports(tl_device* device, std::uint32_t primitive, const tl_args* args,
                      tl_support* answer, tl_error* error) noexcept {
  if (const std::int32_t status = guarded(error, [&] { device->require_present(); })) return status;
  return plugins::with_arguments(primitive, args, error, [&]<class Args>(const Args& own) {
    return guarded(error, [&] {
      Call<Args> call(own);
      require(cpu_simd::check(call.args(), answer, error));
    });
  });
}

using cpu_simd::KernelSet;

constexpr char name_map[] = "map", name_zip[] = "zip", name_reduce[] = "reduce",
               name_matmul[] = "matmul", name_attn_softmax_fw[] = "attn_softmax_fw",
               name_attn_softmax_bw[] = "attn_softmax_bw", name_layernorm_fw[] = "layernorm_fw",
               name_layernorm_bw[] = "layernorm_bw", name_gather[] = "gather",
               name_scatter_add[] = "scatter_add", name_scan[] = "scan", name_random[] = "random",
               name_optim[] = "optim";

constexpr tl_index_table index_table{
    sizeof(tl_index_table), 1,
    extra<&KernelSet::gather, cpu_simd::check_gather, name_gather, tl_index_args>,
    extra<&KernelSet::scatter_add, cpu_simd::check_scatter_add, name_scatter_add, tl_index_args>};
constexpr tl_scan_table scan_table{
    sizeof(tl_scan_table), 1, extra<&KernelSet::scan, cpu_simd::check_scan, name_scan, tl_scan_args>};
constexpr tl_random_table random_table{
    sizeof(tl_random_table), 1,
    extra<&KernelSet::random, cpu_simd::check_random, name_random, tl_random_args>};
constexpr tl_optim_table optim_table{
    sizeof(tl_optim_table), 1,
    extra<&KernelSet::optim, cpu_simd::check_optim, name_optim, tl_optim_args>};

}  // namespace

std::int32_t prepare_computing(const tl_host* host, tl_error* error) {
  cpu_simd::use_pool(static_cast<const tl_host_parallel*>(host->extension(host, TL_EXT_HOST_PARALLEL)));
  kernels = cpu_simd::choose_kernels(host->setting(host, "TORCHLIGHT_SIMD"), error);
  return kernels ? TL_OK : TL_E_ARGUMENT;
}

void add_primitives(tl_backend& table) {
  table.supports = supports;
  table.map = primitive<&KernelSet::map, name_map, tl_map_args>;
  table.zip = primitive<&KernelSet::zip, name_zip, tl_zip_args>;
  table.reduce = primitive<&KernelSet::reduce, name_reduce, tl_reduce_args>;
  table.matmul = primitive<&KernelSet::matmul, name_matmul, tl_matmul_args>;
  table.attn_softmax_fw =
      primitive<&KernelSet::attn_softmax_fw, name_attn_softmax_fw, tl_attn_softmax_fw_args>;
  table.attn_softmax_bw =
      primitive<&KernelSet::attn_softmax_bw, name_attn_softmax_bw, tl_attn_softmax_bw_args>;
  table.layernorm_fw = primitive<&KernelSet::layernorm_fw, name_layernorm_fw, tl_layernorm_fw_args>;
  table.layernorm_bw = primitive<&KernelSet::layernorm_bw, name_layernorm_bw, tl_layernorm_bw_args>;
}

const void* find_extension(const char* id) {
  if (std::strcmp(id, TL_EXT_INDEX) == 0) return &index_table;
  if (std::strcmp(id, TL_EXT_SCAN) == 0) return &scan_table;
  if (std::strcmp(id, TL_EXT_RANDOM) == 0) return &random_table;
  if (std::strcmp(id, TL_EXT_OPTIM) == 0) return &optim_table;
  return nullptr;
}

}  // namespace remote
