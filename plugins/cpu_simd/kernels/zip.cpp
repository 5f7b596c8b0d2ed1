#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

Kernel find_zip(const tl_zip_args& args) noexcept {
  const Type type = type_of(args.inputs[args.input_count - 1]->dtype);
  if (args.fn == TL_ZIP_pow) return find_zip_pow(type);
  for (auto find : {find_zip_arithmetic, find_zip_predicate, find_zip_gradient})
    if (Kernel kernel = find(args.fn, type)) return kernel;
  return nullptr;
}

int32_t zip(const tl_zip_args& args, tl_error*) noexcept {
  double params[TL_MAX_PARAMS] = {};
  for (uint32_t i = 0; i < args.param_count; ++i) params[i] = args.params[i];
  const int inputs = static_cast<int>(args.input_count);
  run_elementwise(make_nest(*args.output, args.inputs, inputs), find_zip(args), params);
  return TL_OK;
}

}  // namespace

void add_zip(KernelSet& set) noexcept { set.zip = zip; }

}  // namespace cpu_simd::TL_ISA
