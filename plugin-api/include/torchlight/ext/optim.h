/* Extension torchlight.optim/1: one step of an optimizer over many parameters, in place. The table comes
 * from tl_backend.extension(device, TL_EXT_OPTIM). Without it the core composes the step of primitives. */
#ifndef TORCHLIGHT_EXT_OPTIM_H
#define TORCHLIGHT_EXT_OPTIM_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_OPTIM "torchlight.optim/1"

/* Element by element, p the parameter, g its gradient, s0 and s1 what is remembered; the numbers are those of
 * tl_optim_args. Each operation is rounded on its own, in the order that the parentheses show, and each
 * factor of numbers alone is worked out in double and then rounded to the dtype: so a step has the same
 * bits as the one composed of primitives. A fused multiply-add is allowed where bits needn't agree.
 *
 * TL_OPTIM_SGD
 *   g  = g + p * weight_decay                                  where weight_decay isn't 0
 *   s0 = s0 * momentum + g * (1 - dampening), or g where flags has TL_OPTIM_FIRST
 *   g  = g + s0 * momentum where flags has TL_OPTIM_NESTEROV, else s0
 *   p  = p - g * lr                                            (s0 only where momentum isn't 0)
 * TL_OPTIM_ADAM
 *   g  = g + p * weight_decay                                  where weight_decay isn't 0
 *   s0 = s0 * beta1 + g * (1 - beta1)
 *   s1 = s1 * beta2 + ((1 - beta2) * g) * g
 *   p  = p - (s0 / (sqrt(s1) * (1 / sqrt(correction2)) + eps)) * (lr / correction1)
 * TL_OPTIM_ADAMW
 *   p  = p * (1 - lr * weight_decay), then as TL_OPTIM_ADAM without weight decay */
enum { TL_OPTIM_SGD = 1, TL_OPTIM_ADAM = 2, TL_OPTIM_ADAMW = 3 };
enum { TL_OPTIM_FIRST = 1, TL_OPTIM_NESTEROV = 2 };

/* One parameter. Its views have the same extents and are contiguous. All views of a call have one dtype,
 * float32 or float64 (others may be declined), and none that is changed overlaps another. */
typedef struct tl_optim_item {
  const tl_view* param;    /* changed in place */
  const tl_view* grad;     /* only read */
  const tl_view* state[2]; /* changed in place; NULL where the formula has none */
} tl_optim_item;

typedef struct tl_optim_args {
  tl_args head;
  uint32_t fn;        /* TL_OPTIM_…; an unknown one is declined */
  uint32_t flags;     /* TL_OPTIM_FIRST, TL_OPTIM_NESTEROV; unknown ones are declined */
  uint32_t count;     /* of items */
  uint32_t item_size; /* sizeof(tl_optim_item) as the caller knows it; a larger one is declined */
  const tl_optim_item* items;
  double lr;
  double weight_decay;
  double momentum;  /* SGD */
  double dampening; /* SGD */
  double beta1;     /* ADAM, ADAMW; so are the rest */
  double beta2;
  double eps;
  double correction1; /* 1 - beta1^t at step t, from 1 */
  double correction2; /* 1 - beta2^t */
} tl_optim_args;
enum { TL_OPTIM_ARGS_SIZE_0 = 112, TL_OPTIM_ITEM_SIZE_0 = 32 }; /* in minor 0, see plugin.h */

typedef struct tl_optim_table {
  uint32_t size;
  uint32_t revision;
  int32_t (*step)(tl_device* device, tl_stream* stream, const tl_optim_args* args,
                  tl_error* error) TL_NOEXCEPT; /* [stream] */
} tl_optim_table;

#ifdef __cplusplus
}
#endif
#endif
