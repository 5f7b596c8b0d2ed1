/* Extension torchlight.details/1: what a device tells of itself beyond tl_device_info: the version of its driver
 * and firmware, where it keeps what it compiled or tuned, which files of the user's it takes and why not others.
 * `torchlight devices` prints it, list_devices() gives it to programs. No result depends on it.
 *
 * The core makes what it is told harmless: control characters and bytes that aren't UTF-8 are shown as codes, what
 * is longer than 1 MiB is cut, JSON that is none is left out, and topics after the 64th aren't taken. */
#ifndef TORCHLIGHT_EXT_DETAILS_H
#define TORCHLIGHT_EXT_DETAILS_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_EXT_DETAILS "torchlight.details/1"

/* One topic, in strings that are closed by a zero and needed until `tell` returns. */
typedef struct tl_detail {
  uint32_t size;
  uint32_t incomplete; /* 1: there is more, for which it must be asked to be thorough */
  const char* topic;   /* a-z, 0-9, _ ; at most 31: "driver", "drop_ins" */
  const char* text;    /* for people: lines of UTF-8 */
  const char* json;    /* the same for programs: one value of JSON, or NULL */
} tl_detail;
enum { TL_DETAIL_SIZE_0 = 32 }; /* in minor 0, see plugin.h */

typedef struct tl_details_args {
  tl_args head;
  uint32_t
      thorough; /* 0: at once, and nothing is run, compiled or waited for; 1: all, which may take seconds */
  uint32_t reserved;
  void* context; /* for `tell` */
  /* Takes a copy. To be called before `describe` returns and by its thread, once for each topic. */
  void (*tell)(void* context, const tl_detail* detail) TL_NOEXCEPT;
} tl_details_args;
enum { TL_DETAILS_ARGS_SIZE_0 = 40 }; /* in minor 0, see plugin.h */

typedef struct tl_details_table {
  uint32_t size;
  uint32_t revision;
  /* [any] Where there is nothing to tell, TL_OK and no topic. It leaves the device's streams and memory alone. */
  int32_t (*describe)(tl_device* device, const tl_details_args* args, tl_error* error) TL_NOEXCEPT;
} tl_details_table;

#ifdef __cplusplus
}
#endif
#endif
