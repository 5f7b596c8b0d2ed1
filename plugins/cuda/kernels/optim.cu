// tl_optim_RULE_TYPE. Selected by TL_SELECT_FN (sgd, adam) and TL_SELECT_TYPE.
#include "optim.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_OPTIM(fn, type)                                                   \
  TL_KERNEL(TL_JOIN4(tl_optim_, fn, _, type), kernels::OptimArguments, 256,  \
            kernels::optim_step<kernels::TL_JOIN(optim_, fn)<TL_ELEMENT(type)>, TL_ELEMENT(type)>(arguments))

#if defined(TL_SELECT_FN)
TL_OPTIM(TL_SELECT_FN, TL_SELECT_TYPE)
#else
TL_OPTIM(sgd, f32) TL_OPTIM(sgd, f64) TL_OPTIM(adam, f32) TL_OPTIM(adam, f64)
#endif
