// tl_random_DISTRIBUTION_TYPE. Selected by TL_SELECT_FN (uniform, normal, integer, bernoulli) and TL_SELECT_TYPE.
#include "random.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_RANDOM(fn, type)                                                       \
  TL_KERNEL(TL_JOIN4(tl_random_, fn, _, type), kernels::RandomArguments, 256,     \
            kernels::fill_random<kernels::TL_JOIN(random_, fn)<TL_ELEMENT(type)>, TL_ELEMENT(type)>(arguments))

#if defined(TL_SELECT_FN)
TL_RANDOM(TL_SELECT_FN, TL_SELECT_TYPE)
#else
TL_RANDOM(uniform, f32) TL_RANDOM(uniform, f64) TL_RANDOM(normal, f32) TL_RANDOM(normal, f64)
TL_RANDOM(bernoulli, f32) TL_RANDOM(bernoulli, f64) TL_RANDOM(bernoulli, b8) TL_RANDOM(integer, i64)
#endif
