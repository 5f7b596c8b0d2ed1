#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

Kernel find_map(const tl_map_args& args) noexcept {
  if (args.fn == TL_MAP_copy) return find_copy(args.input->dtype, args.output->dtype);
  if (args.fn == TL_MAP_fill) return find_fill(type_of(args.output->dtype));
  const Type type = type_of(args.input->dtype);
  for (auto find :
       {find_map_arithmetic, find_map_predicate, find_map_function, find_map_activation, find_map_pow})
    if (Kernel kernel = find(args.fn, type)) return kernel;
  return nullptr;
}

int32_t map(const tl_map_args& args, tl_error*) noexcept {
  double params[TL_MAX_PARAMS] = {};
  for (uint32_t i = 0; i < args.param_count; ++i) params[i] = args.params[i];
  if (args.fn == TL_MAP_arange)
    fill_arange(*args.output, params[0], params[1]);
  else if (args.fn == TL_MAP_eye)
    fill_eye(*args.output, params[0]);
  else
    run_elementwise(make_nest(*args.output, &args.input, args.input ? 1 : 0), find_map(args), params);
  return TL_OK;
}

}  // namespace

void add_map(KernelSet& set) noexcept { set.map = map; }

}  // namespace cpu_simd::TL_ISA
