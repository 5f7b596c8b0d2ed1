#include "kernels/reduce_driver.h"

namespace cpu_simd::TL_ISA {
namespace {

int32_t reduce(const tl_reduce_args& args, tl_error*) noexcept {
  for (auto find : {find_reduce_real, find_reduce_int, find_reduce_truth, find_reduce_arg})
    if (Reducer run = find(args.fn, args.input->dtype)) {
      run(args);
      return TL_OK;
    }
  return TL_DECLINED;
}

}  // namespace

void add_reduce(KernelSet& set) noexcept { set.reduce = reduce; }

}  // namespace cpu_simd::TL_ISA
