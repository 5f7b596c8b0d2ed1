// no_memory FILE…: calls that must fail, of each plug-in, while every allocation of the process fails, from the
// first, the second … on: the status and the text arrive all the same. Ends with 0, or with 1 where one doesn't.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "plugin.h"
#include "process_state.h"

using namespace torchlight::test;

namespace {

struct FailingCall {
  const char* name;
  std::function<std::int32_t(tl_error*)> call;
};

tl_view vector_view(const void* values) {
  tl_view view{};
  view.size = sizeof view;
  view.dtype = {TL_FLOAT, 32, 1};
  view.rank = 1;
  view.base = const_cast<void*>(values);
  view.extent[0] = 4;
  view.stride[0] = 1;
  return view;
}

template <class Args> Args arguments() {
  Args args{};
  args.head.size = sizeof args;
  return args;
}

std::vector<FailingCall> calls(const Plugin& plugin) {
  static const float values[4]{};
  static const tl_view view = vector_view(values);
  const tl_backend& t = plugin.table();
  tl_device* const device = plugin.device();
  auto map = arguments<tl_map_args>();
  map.fn = 60000;
  map.input = map.output = &view;
  auto zip = arguments<tl_zip_args>();
  zip.fn = TL_ZIP_add;
  zip.input_count = 2;
  zip.inputs[0] = zip.output = &view;
  auto reduce = arguments<tl_reduce_args>();
  reduce.fn = TL_REDUCE_sum;
  reduce.axis_mask = 1 << 7;
  reduce.input = reduce.output = &view;
  auto matmul = arguments<tl_matmul_args>();
  matmul.a = matmul.b = matmul.output = &view;
  std::vector<FailingCall> all{
      {"device_info",
       [&t](tl_error* error) {
         tl_device_info info{};
         info.size = sizeof info;
         return t.device_info(99, &info, error);
       }},
      {"open",
       [&t](tl_error* error) {
         tl_device* none = nullptr;
         return t.open(99, &none, error);
       }},
      {"supports",
       [&t, device, map](tl_error* error) {
         tl_support answer{sizeof answer, 0, 0};
         return t.supports(device, 60000, &map.head, &answer, error);
       }},
      {"map", [&t, device, map](tl_error* error) { return t.map(device, nullptr, &map, error); }},
      {"zip", [&t, device, zip](tl_error* error) { return t.zip(device, nullptr, &zip, error); }},
      {"reduce",
       [&t, device, reduce](tl_error* error) { return t.reduce(device, nullptr, &reduce, error); }},
      {"matmul",
       [&t, device, matmul](tl_error* error) { return t.matmul(device, nullptr, &matmul, error); }}};
  if (t.allocate)
    all.push_back({"allocate", [&t, device](tl_error* error) {
                     tl_memory memory{};
                     return t.allocate(device, nullptr, std::uint64_t{1} << 60, &memory, error);
                   }});
  return all;
}

/// What is wrong with a call whose allocations fail from one on, or nothing. `failed` says how many did.
std::string try_without_memory(const FailingCall& failing, std::uint64_t after, std::uint32_t capacity,
                               std::uint64_t& failed) {
  ErrorText error(capacity);
  std::int32_t status = TL_OK;
  {
    const AllocationFaults none(after);
    status = failing.call(error.get());
    failed = none.count();
  }
  if (status == TL_OK) return "it succeeds";
  return error.fault();
}

bool judge(const char* file) {
  const TestHost host;
  const Plugin plugin(file, host);
  bool right = true;
  int tried = 0;
  for (const FailingCall& failing : calls(plugin))
    for (const std::uint32_t capacity : {256u, 16u}) {
      std::uint64_t failed = 1;
      for (std::uint64_t after = 0; failed > 0; ++after, ++tried) {
        const std::string fault = try_without_memory(failing, after, capacity, failed);
        if (fault.empty()) continue;
        std::printf("FAIL: %s of %s, allocations fail after %llu: %s\n", failing.name, file,
                    static_cast<unsigned long long>(after), fault.c_str());
        right = false;
        break;
      }
    }
  if (right) std::printf("%s: every text arrives, %d times\n", file, tried);
  return right;
}

/// The control: there is no memory where it says so, in C and in C++.
bool nothing_is_allocated() {
  const AllocationFaults none(1);
  void* volatile first = std::malloc(16);
  void* volatile second = std::malloc(16);
  bool thrown = false;
  try {
    void* volatile third = ::operator new(16);
    ::operator delete(third);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  const bool right = first && !second && thrown && none.count() >= 2;
  std::free(first);
  std::free(second);
  return right;
}

}  // namespace

int main(int count, char** files) {
  if (!nothing_is_allocated()) return std::puts("FAIL: allocations don't fail"), 1;
  bool right = count > 1;
  for (int i = 1; i < count; ++i) right = judge(files[i]) && right;
  return right ? 0 : 1;
}
