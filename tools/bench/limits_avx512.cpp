#define TORCHLIGHT_BENCH_NAME limits_avx512
#define TORCHLIGHT_BENCH_BYTES 64
#define TORCHLIGHT_BENCH_REGISTER "v"
#include "limit_kernels.h"
