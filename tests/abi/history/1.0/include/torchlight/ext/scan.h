/* Extension torchlight.scan/1: running reductions along one axis. */
#ifndef TORCHLIGHT_EXT_SCAN_H
#define TORCHLIGHT_EXT_SCAN_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_SCAN "torchlight.scan/1"

/* output[…, i, …] = fn of input[…, 0 … i, …] along `axis`, or of i … n-1 where reverse is 1. Views have
 * equal extents and one dtype: float32, float64 or int64. fn is TL_REDUCE_sum, _prod, _max or _min; an
 * unknown one is declined. Sums carry a compensation, so that error does not grow with length. */
typedef struct tl_scan_args {
  tl_args head;
  uint32_t fn; /* TL_REDUCE_… */
  uint32_t axis;
  uint32_t reverse; /* 0 or 1 */
  uint32_t reserved;
  const tl_view* input;
  const tl_view* output;
} tl_scan_args;
enum { TL_SCAN_ARGS_SIZE_0 = 48 }; /* in minor 0, see plugin.h */

typedef struct tl_scan_table {
  uint32_t size;
  uint32_t revision;
  int32_t (*scan)(tl_device* device, tl_stream* stream, const tl_scan_args* args,
                  tl_error* error) TL_NOEXCEPT; /* [stream] */
} tl_scan_table;

#ifdef __cplusplus
}
#endif
#endif
