/* Extension torchlight.random/1: the same random numbers on every device.
 *
 * Philox4x32-10. Element i of the output (row-major) is made from the four 32-bit words of the block
 * with key = {seed low, seed high} and counter = {n low, n high, 0, 0}, n = offset + i / 4 (for
 * float64 and int64 outputs: n = offset + i / 2). Words are used in order: float32 element i takes word
 * i % 4; 64-bit element i takes words 2*(i%2) (low) and 2*(i%2)+1 (high).
 *
 *   uniform   a + (b - a) * u, u = (word >> 8) * 2^-24, or (64-bit word >> 11) * 2^-53; u is in [0, 1)
 *   normal    a + b * z by Box and Muller from pairs: elements 2j and 2j+1 use u0, u1 of their own
 *             positions: r = sqrt(-2 ln(1 - u0)), z = r cos(2 pi u1) and r sin(2 pi u1). Within 4 ULP of
 *             this formula in exact arithmetic, relative to r.
 *   integer   a + (64-bit word mod (b - a)), int64 output only
 *   bernoulli u < a, as 1 or 0; output bool (words as for float32), float32 or float64
 */
#ifndef TORCHLIGHT_EXT_RANDOM_H
#define TORCHLIGHT_EXT_RANDOM_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_RANDOM "torchlight.random/1"

enum { TL_RANDOM_UNIFORM = 1, TL_RANDOM_NORMAL = 2, TL_RANDOM_INTEGER = 3, TL_RANDOM_BERNOULLI = 4 };

typedef struct tl_random_args {
  tl_args head;
  uint32_t distribution; /* TL_RANDOM_…; an unknown one is declined */
  uint32_t reserved;
  const tl_view* output; /* contiguous */
  uint64_t seed;
  uint64_t offset;
  double params[2]; /* a, b */
} tl_random_args;
enum { TL_RANDOM_ARGS_SIZE_0 = 64 }; /* in minor 0, see plugin.h */

typedef struct tl_random_table {
  uint32_t size;
  uint32_t revision;
  int32_t (*fill)(tl_device* device, tl_stream* stream, const tl_random_args* args,
                  tl_error* error) TL_NOEXCEPT; /* [stream] */
} tl_random_table;

#ifdef __cplusplus
}
#endif
#endif
