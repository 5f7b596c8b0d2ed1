#define TORCHLIGHT_LIMITS_NAME baseline
#define TORCHLIGHT_LIMITS_BYTES 16
#if defined(__aarch64__)
#define TORCHLIGHT_LIMITS_REGISTER "w"
#else
#define TORCHLIGHT_LIMITS_REGISTER "x"
#endif
#include "loops.h"
