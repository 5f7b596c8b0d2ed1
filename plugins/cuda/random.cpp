#include "kernels/random.cuh"

#include <algorithm>

#include "memory.h"
#include "primitives.h"

namespace cuda_backend {

int32_t random(Call& call, const tl_random_args& args) noexcept {
  static constexpr const char* names[] = {"", "uniform", "normal", "integer", "bernoulli"};
  static Kernel kernel[5][types];
  const tl_view& output = *args.output;
  if (is_empty(output)) return TL_OK;
  if (int32_t status = check_memory(&call.device(), {&output}, call.error())) return status;
  kernels::RandomArguments g{};
  g.out = address_of(output);
  g.count = 1;
  for (uint32_t d = 0; d < output.rank; ++d) g.count *= output.extent[d];
  const uintptr_t word = std::min<uintptr_t>(16, output.dtype.bits / 8 * kernels::pack_size);
  const bool aligned = reinterpret_cast<uintptr_t>(g.out) % word == 0;
  g.packs = aligned ? g.count / kernels::pack_size : 0;
  g.seed = args.seed;
  g.offset = args.offset;
  g.a = args.params[0];
  g.b = args.params[1];
  const auto describe = [&](KernelName& n) {
    const char *const name = names[args.distribution], *const type = type_name(output.dtype);
    n.file = "random.cu";
    std::snprintf(n.selection, sizeof n.selection, "-DTL_SELECT_FN=%s -DTL_SELECT_TYPE=%s", name, type);
    std::snprintf(n.name, sizeof n.name, "tl_random_%s_%s", name, type);
  };
  return call.launch(kernel[args.distribution][type_index(output.dtype)], describe,
                     shape_of(call.device(), g.count, kernels::pack_size), g);
}

}  // namespace cuda_backend
