#include <array>

#include "bench.h"
#include "loader/open_device.h"
#include "loader/registry.h"

namespace bench {
namespace {

namespace loader = torchlight::loader;

tl_view view(float* memory, std::int64_t elements) {
  tl_view view{};
  view.size = sizeof view;
  view.dtype = {TL_FLOAT, 32, 1};
  view.rank = 1;
  view.base = memory;
  view.extent[0] = elements;
  view.stride[0] = 1;
  return view;
}

// out = -in for so many elements, straight through the table.
std::function<void(long)> negate(std::int64_t elements) {
  loader::OpenDevice& device = loader::cpu();
  return [&device, elements](long times) {
    std::array<float, 64> in{}, out{};
    const tl_view from = view(in.data(), elements), to = view(out.data(), elements);
    tl_map_args args{};
    args.head.size = sizeof args;
    args.fn = TL_MAP_neg;
    args.input = &from;
    args.output = &to;
    loader::ErrorText error;
    for (; times > 0; --times) {
      device.prepare(TL_PRIMITIVE_MAP);
      const std::int32_t status = device.table().map(device.handle(), nullptr, &args, error.get());
      loader::check(status, device, "neg", error);
      use(out);
    }
  };
}

}  // namespace

Rows abi() {
  return {{"map through the table, 0 elements", negate(0), 0, "ns", "", 100},
          {"map through the table, 16 elements", negate(16)}};
}

}  // namespace bench
