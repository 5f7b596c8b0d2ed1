#include "arguments.h"

#include <algorithm>
#include <new>

namespace torchlight::test {
namespace {

using Views = std::vector<const tl_view*>;

void set_params(const Case& c, std::uint32_t& count, double* params) {
  count = static_cast<std::uint32_t>(c.params.size());
  std::copy(c.params.begin(), c.params.end(), params);
  // What lies beyond is not to be read.
  std::fill(params + c.params.size(), params + TL_MAX_PARAMS, -1e300);
}

void fill(tl_map_args& a, const Case& c, const Views& v) {
  a.fn = c.fn, a.input = v[0], a.output = v[1];
  set_params(c, a.param_count, a.params);
}

void fill(tl_zip_args& a, const Case& c, const Views& v) {
  a.fn = c.fn, a.input_count = v[2] ? 3 : 2, a.output = v[3];
  std::copy_n(v.begin(), 3, a.inputs);
  set_params(c, a.param_count, a.params);
}

void fill(tl_reduce_args& a, const Case& c, const Views& v) {
  a.fn = c.fn, a.axis_mask = c.axis_mask, a.input = v[0], a.output = v[1];
}

void fill(tl_matmul_args& a, const Case& c, const Views& v) {
  a.a = v[0], a.b = v[1], a.bias = v[2], a.output = v[3];
  a.alpha = c.alpha, a.beta = c.beta, a.activation = c.activation;
}

void fill(tl_attn_softmax_fw_args& a, const Case& c, const Views& v) {
  a.input = v[0], a.mask = v[1], a.output = v[2];
  a.scale = c.scale, a.causal = c.causal, a.causal_offset = c.causal_offset;
}

void fill(tl_attn_softmax_bw_args& a, const Case& c, const Views& v) {
  a.grad = v[0], a.soft = v[1], a.output = v[2], a.scale = c.scale;
}

void fill(tl_layernorm_fw_args& a, const Case& c, const Views& v) {
  a.input = v[0], a.gamma = v[1], a.beta = v[2], a.output = v[3], a.mean = v[4], a.rstd = v[5];
  a.eps = c.eps, a.normalized = c.normalized;
}

void fill(tl_layernorm_bw_args& a, const Case& c, const Views& v) {
  a.grad = v[0], a.input = v[1], a.gamma = v[2], a.mean = v[3], a.rstd = v[4];
  a.dinput = v[5], a.dgamma = v[6], a.dbeta = v[7], a.eps = c.eps, a.normalized = c.normalized;
}

void fill(tl_index_args& a, const Case& c, const Views& v) {
  a.source = v[0], a.index = v[1], a.output = v[2], a.axis = c.axis;
}

void fill(tl_scan_args& a, const Case& c, const Views& v) {
  a.fn = c.fn, a.axis = c.axis, a.reverse = c.reverse, a.input = v[0], a.output = v[1];
}

void fill(tl_random_args& a, const Case& c, const Views& v) {
  a.distribution = c.fn, a.output = v[0], a.seed = c.random_seed, a.offset = c.random_offset;
  std::copy_n(c.params.begin(), 2, a.params);
}

/// The places from `begin` up to `end` of a contiguous view's axis 0.
tl_view part_of(const tl_view& view, std::int64_t begin, std::int64_t end) {
  tl_view part = view;
  part.extent[0] = end - begin;
  part.byte_offset += static_cast<std::uint64_t>(begin * view.stride[0] * (view.dtype.bits / 8));
  return part;
}

template <class T> T* as(Arguments& arguments) { return reinterpret_cast<T*>(arguments.bytes()); }

template <class T, class Function>
std::int32_t invoke(Function function, const Plugin& plugin, Arguments& arguments, tl_error* error) {
  if (!function) return TL_DECLINED;
  return function(plugin.device(), nullptr, as<T>(arguments), error);
}

}  // namespace

template <class T> T& Arguments::start() {
  size_ = sizeof(T);
  T* args = new (memory_) T{};
  args->head.size = sizeof(T);
  return *args;
}

void Arguments::fill(tl_optim_args& a, const Case& c, const Views& v) {
  if (c.cuts.empty()) {
    items_ = {{v[1], v[0], {v[2], v[3]}}};
  } else {
    parts_.reserve(v.size() * (c.cuts.size() + 1));  // the items point into it
    std::int64_t begin = 0;
    for (std::size_t i = 0; i <= c.cuts.size(); ++i) {
      const std::int64_t end = i < c.cuts.size() ? c.cuts[i] : c.operands[0].layout.extent[0];
      const auto part = [&](const tl_view* view) {
        return view ? &parts_.emplace_back(part_of(*view, begin, end)) : nullptr;
      };
      items_.push_back({part(v[1]), part(v[0]), {part(v[2]), part(v[3])}});
      begin = end;
    }
  }
  a.fn = c.fn, a.flags = c.flags, a.items = items_.data();
  a.count = static_cast<std::uint32_t>(items_.size()), a.item_size = sizeof(tl_optim_item);
  std::copy_n(c.params.begin(), 9, &a.lr);
}

Arguments::Arguments(const Case& c, const Views& views) {
  switch (c.op) {
    case Op::map: test::fill(start<tl_map_args>(), c, views); break;
    case Op::zip: test::fill(start<tl_zip_args>(), c, views); break;
    case Op::reduce: test::fill(start<tl_reduce_args>(), c, views); break;
    case Op::matmul: test::fill(start<tl_matmul_args>(), c, views); break;
    case Op::attn_softmax_fw: test::fill(start<tl_attn_softmax_fw_args>(), c, views); break;
    case Op::attn_softmax_bw: test::fill(start<tl_attn_softmax_bw_args>(), c, views); break;
    case Op::layernorm_fw: test::fill(start<tl_layernorm_fw_args>(), c, views); break;
    case Op::layernorm_bw: test::fill(start<tl_layernorm_bw_args>(), c, views); break;
    case Op::gather:
    case Op::scatter_add: test::fill(start<tl_index_args>(), c, views); break;
    case Op::scan: test::fill(start<tl_scan_args>(), c, views); break;
    case Op::random: test::fill(start<tl_random_args>(), c, views); break;
    case Op::optim: fill(start<tl_optim_args>(), c, views); break;
  }
}

void Arguments::lengthen(std::size_t bytes, std::byte last) {
  head()->size = static_cast<std::uint32_t>(size_ + bytes);
  memory_[size_ + bytes - 1] = last;
}

bool offers(const Plugin& plugin, Op op) {
  const tl_backend& t = plugin.table();
  switch (op) {
    case Op::attn_softmax_fw: return t.attn_softmax_fw;
    case Op::attn_softmax_bw: return t.attn_softmax_bw;
    case Op::layernorm_fw: return t.layernorm_fw;
    case Op::layernorm_bw: return t.layernorm_bw;
    case Op::gather: return plugin.index_table() && plugin.index_table()->gather;
    case Op::scatter_add: return plugin.index_table() && plugin.index_table()->scatter_add;
    case Op::scan: return plugin.scan_table() && plugin.scan_table()->scan;
    case Op::random: return plugin.random_table() && plugin.random_table()->fill;
    case Op::optim: return plugin.optim_table() && plugin.optim_table()->step;
    default: return true;
  }
}

std::int32_t ask(const Plugin& plugin, Op op, Arguments& arguments, tl_support& answer,
                 tl_error* error) {
  answer = {sizeof(tl_support), 0, 0};
  if (!is_primitive(op)) return offers(plugin, op) ? TL_OK : TL_DECLINED;
  return plugin.table().supports(plugin.device(), static_cast<std::uint32_t>(op), arguments.head(),
                                 &answer, error);
}

std::int32_t call(const Plugin& plugin, Op op, Arguments& arguments, tl_error* error) {
  const tl_backend& t = plugin.table();
  if (!offers(plugin, op)) return TL_DECLINED;
  switch (op) {
    case Op::map: return invoke<tl_map_args>(t.map, plugin, arguments, error);
    case Op::zip: return invoke<tl_zip_args>(t.zip, plugin, arguments, error);
    case Op::reduce: return invoke<tl_reduce_args>(t.reduce, plugin, arguments, error);
    case Op::matmul: return invoke<tl_matmul_args>(t.matmul, plugin, arguments, error);
    case Op::attn_softmax_fw:
      return invoke<tl_attn_softmax_fw_args>(t.attn_softmax_fw, plugin, arguments, error);
    case Op::attn_softmax_bw:
      return invoke<tl_attn_softmax_bw_args>(t.attn_softmax_bw, plugin, arguments, error);
    case Op::layernorm_fw:
      return invoke<tl_layernorm_fw_args>(t.layernorm_fw, plugin, arguments, error);
    case Op::layernorm_bw:
      return invoke<tl_layernorm_bw_args>(t.layernorm_bw, plugin, arguments, error);
    case Op::gather:
      return invoke<tl_index_args>(plugin.index_table()->gather, plugin, arguments, error);
    case Op::scatter_add:
      return invoke<tl_index_args>(plugin.index_table()->scatter_add, plugin, arguments, error);
    case Op::scan: return invoke<tl_scan_args>(plugin.scan_table()->scan, plugin, arguments, error);
    case Op::random:
      return invoke<tl_random_args>(plugin.random_table()->fill, plugin, arguments, error);
    case Op::optim: return invoke<tl_optim_args>(plugin.optim_table()->step, plugin, arguments, error);
  }
  __builtin_unreachable();
}

}  // namespace torchlight::test
