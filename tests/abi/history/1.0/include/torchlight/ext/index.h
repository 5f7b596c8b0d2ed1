/* Extension torchlight.index/1: gather and scatter along one axis. The table comes from
 * tl_backend.extension(device, TL_EXT_INDEX). */
#ifndef TORCHLIGHT_EXT_INDEX_H
#define TORCHLIGHT_EXT_INDEX_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_INDEX "torchlight.index/1"

/* gather:      output[i…] = source[i… with i[axis] = index[i…]]
 * scatter_add: output[i… with i[axis] = index[i…]] += source[i…]
 *
 * index is int64. In gather it has the output's extents, in scatter_add the source's; stride 0 on every
 * axis but one is how rows are selected by a list, and is worth a fast path. The other view may differ
 * on `axis` alone. Any dtype may be gathered; float32, float64 and int64 may be added.
 * scatter_add adds in row-major order of the index, so that repeated indices give the same bits every
 * time. An index outside 0 … extent-1 is TL_E_ARGUMENT, found before anything is written, and the text
 * names the value and its row-major position. Asynchronous devices may report it late. */
typedef struct tl_index_args {
  tl_args head;
  uint32_t axis;
  uint32_t reserved;
  const tl_view* source;
  const tl_view* index;
  const tl_view* output;
} tl_index_args;
enum { TL_INDEX_ARGS_SIZE_0 = 48 }; /* in minor 0, see plugin.h */

typedef struct tl_index_table {
  uint32_t size;
  uint32_t revision;
  int32_t (*gather)(tl_device* device, tl_stream* stream, const tl_index_args* args,
                    tl_error* error) TL_NOEXCEPT; /* [stream] */
  int32_t (*scatter_add)(tl_device* device, tl_stream* stream, const tl_index_args* args,
                         tl_error* error) TL_NOEXCEPT; /* [stream] */
} tl_index_table;

#ifdef __cplusplus
}
#endif
#endif
