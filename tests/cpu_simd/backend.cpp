#include "backend.h"

#include <dlfcn.h>
#include <torchlight/ext/host_parallel.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace cpu_simd_test {
namespace {

std::string chosen_set;
unsigned thread_count = 1;

uint32_t concurrency() noexcept { return thread_count; }

void run(uint64_t count, void (*body)(void*, uint64_t) noexcept, void* context) noexcept {
  std::atomic<uint64_t> next{0};
  const auto work = [&] {
    for (uint64_t i = next++; i < count; i = next++) body(context, i);
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < thread_count; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

const tl_host_parallel pool{sizeof(tl_host_parallel), 1, concurrency, run};

void log(const tl_host*, uint32_t, const char*) noexcept {}
const char* setting(const tl_host*, const char* name) noexcept {
  return std::strcmp(name, "TORCHLIGHT_SIMD") == 0 && !chosen_set.empty() ? chosen_set.c_str()
                                                                          : nullptr;
}
const void* extension(const tl_host*, const char* id) noexcept {
  return std::strcmp(id, TL_EXT_HOST_PARALLEL) == 0 ? &pool : nullptr;
}

const tl_host host{sizeof(tl_host), TL_ABI_MAJOR, TL_ABI_MINOR, "0", log, setting, extension};

const tl_backend* load_plugin() {
  void* library = dlopen(CPU_SIMD_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  using Entry = int32_t (*)(const tl_host*, const tl_backend**, tl_error*) noexcept;
  const auto entry = reinterpret_cast<Entry>(dlsym(library, TL_ENTRY_NAME));
  const tl_backend* table = nullptr;
  char text[256] = "";
  tl_error error{sizeof(tl_error), sizeof text, text};
  if (!entry || entry(&host, &table, &error) != TL_OK) throw std::runtime_error(text);
  return table;
}

template <class Args> Args args_of() {
  Args args{};
  args.head.size = sizeof args;
  return args;
}

}  // namespace

Backend::Backend(const std::string& set, unsigned threads) {
  static const tl_backend* const loaded = load_plugin();
  table_ = loaded;
  chosen_set = set;
  thread_count = threads;
  status_ = table_->open(0, &device_, &error_);
}

int32_t Backend::map(uint32_t fn, const tl_view* in, const tl_view& out, std::vector<double> params) {
  auto args = args_of<tl_map_args>();
  args.fn = fn;
  args.param_count = static_cast<uint32_t>(params.size());
  args.input = in;
  args.output = &out;
  std::copy(params.begin(), params.end(), args.params);
  return table_->map(device_, nullptr, &args, &error_);
}

int32_t Backend::zip(uint32_t fn, std::vector<const tl_view*> in, const tl_view& out,
                     std::vector<double> params) {
  auto args = args_of<tl_zip_args>();
  args.fn = fn;
  args.input_count = static_cast<uint32_t>(in.size());
  std::copy(in.begin(), in.end(), args.inputs);
  args.output = &out;
  args.param_count = static_cast<uint32_t>(params.size());
  std::copy(params.begin(), params.end(), args.params);
  return table_->zip(device_, nullptr, &args, &error_);
}

int32_t Backend::reduce(uint32_t fn, uint32_t axes, const tl_view& in, const tl_view& out) {
  auto args = args_of<tl_reduce_args>();
  args.fn = fn;
  args.axis_mask = axes;
  args.input = &in;
  args.output = &out;
  return table_->reduce(device_, nullptr, &args, &error_);
}

std::string Backend::instruction_set() const {
  tl_device_info info{};
  info.size = sizeof info;
  char text[256] = "";
  tl_error error{sizeof(tl_error), sizeof text, text};
  if (table_->device_info(0, &info, &error) != TL_OK) return text;
  return info.instruction_set;
}

std::vector<std::string> supported_sets() {
  std::vector<std::string> sets;
  for (const char* set : {"sse2", "avx2", "avx512", "neon"})
    if (Backend(set).status() == TL_OK) sets.emplace_back(set);
  return sets;
}

tl_view view_of(const void* data, tl_dtype dtype, std::vector<int64_t> extents) {
  tl_view view{};
  view.size = sizeof view;
  view.dtype = dtype;
  view.rank = static_cast<uint32_t>(extents.size());
  view.base = const_cast<void*>(data);
  int64_t stride = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    view.extent[d] = extents[d];
    view.stride[d] = stride;
    stride *= extents[d];
  }
  return view;
}

}  // namespace cpu_simd_test
