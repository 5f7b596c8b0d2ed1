#define TORCHLIGHT_BENCH_NAME limits_avx2
#define TORCHLIGHT_BENCH_BYTES 32
#define TORCHLIGHT_BENCH_REGISTER "v"
#include "limit_kernels.h"
