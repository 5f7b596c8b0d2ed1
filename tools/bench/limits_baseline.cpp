#define TORCHLIGHT_BENCH_NAME limits_baseline
#define TORCHLIGHT_BENCH_BYTES 16
#if defined(__aarch64__)
#define TORCHLIGHT_BENCH_REGISTER "w"
#else
#define TORCHLIGHT_BENCH_REGISTER "x"
#endif
#include "limit_kernels.h"
