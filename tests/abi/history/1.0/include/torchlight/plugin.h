/* Torchlight plug-in ABI, major 1 (draft until the cuda plug-in works on it).
 *
 * This header is the whole contract between the core library and a backend plug-in. It is plain C11,
 * also clean as C++20, and needs nothing but <stdint.h>. Rules that hold everywhere:
 *
 *   Sizes    Every struct starts with its size in bytes as filled by whoever filled it. A reader uses
 *            what it knows and never tests for equality. A table that is shorter than known has NULL
 *            for what is missing. An argument struct or view that is longer than known must have a zero
 *            tail, a reserved field must be 0 and a flag must be a known one, else the call is declined.
 *            One that is shorter than known comes from an older core: what is missing means zero. So a callee
 *            holds sizes against the literals TL_…_SIZE_0, never against sizeof, which grows with this file.
 *            A struct that the callee fills (tl_device_info, tl_support) has the size that the caller has
 *            room for: the callee leaves it as it is and writes no further. Fields are only ever appended.
 *   Status   Functions return TL_OK, a positive TL_DECLINED ("I don't do this one, compose it or give
 *            it to another backend; nothing was changed"), or a negative error. A function that does
 *            not return TL_OK writes one line of UTF-8 into `error`, never an exception, never errno.
 *            Arguments that contradict each other (extents that differ, a missing view) are
 *            TL_E_ARGUMENT or TL_DECLINED, and nothing was changed either.
 *   Pointers Arguments are only valid during the call. A function that enqueues work copies them first.
 *   Threads  Each function carries a tag:
 *              [control]  one caller at a time, the core holds no lock of its own meanwhile
 *              [any]      any thread at any time
 *              [stream]   one caller at a time for each stream; different streams may run in parallel. A
 *                         host device does its work before it returns: there many may call at once
 *   State    A plug-in leaves the floating-point mode, locale, signal handlers, working directory and
 *            environment as it found them, and owns no static object with a destructor.
 *
 * Start from plugin-api/template/my_backend.c; docs/plugin-abi.md explains every decision.
 */
#ifndef TORCHLIGHT_PLUGIN_H
#define TORCHLIGHT_PLUGIN_H

#include <stdint.h>

/* Laid out by hand, to be read. */
/* clang-format off */

#ifdef __cplusplus
#define TL_NOEXCEPT noexcept /* a function that may throw does not fit into the table */
extern "C" {
#else
#define TL_NOEXCEPT
#endif

#define TL_ABI_MAJOR 1 /* layout and meaning; part of the entry's name */
#define TL_ABI_MINOR 0 /* additions; see docs/changelog.md */
#define TL_MAX_RANK 8
#define TL_MAX_PARAMS 4

/* ---- status -------------------------------------------------------------------------------- */

enum {
  TL_OK = 0,
  TL_DECLINED = 1,    /* not supported, nothing changed: the core composes or falls back */
  TL_NOT_READY = 2,   /* stream_poll and event_poll only: work is still running */
  TL_E_ARGUMENT = -1, /* the caller's fault */
  TL_E_MEMORY = -2,   /* out of memory; the core frees its caches and may try once more */
  TL_E_DEVICE = -3,   /* the device failed; sticky until the stream is reopened */
  TL_E_STATE = -4,    /* not possible now, for example in a forked child */
  TL_E_INTERNAL = -5  /* the plug-in's own fault */
};

/* Where a failing function writes its one line of text, cut to fit. The caller owns the memory; a
 * `tl_error*` is never NULL. */
typedef struct tl_error {
  uint32_t size;
  uint32_t capacity; /* bytes at `text`, the closing zero included; may be 0 */
  char* text;
} tl_error;

/* ---- types and views ----------------------------------------------------------------------- */

/* Element type, coded as DLPack does. lanes is 1. */
typedef struct tl_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} tl_dtype;

enum { TL_INT = 0, TL_UINT = 1, TL_FLOAT = 2, TL_BFLOAT = 4, TL_BOOL = 6 /* one byte, 0 or 1 */ };

/* Where memory lives. */
enum { TL_SPACE_HOST = 0, TL_SPACE_PINNED = 1, TL_SPACE_DEVICE = 2, TL_SPACE_MANAGED = 3 };

typedef struct tl_host tl_host;     /* services of the core, below */
typedef struct tl_device tl_device; /* an opened device: defined by the plug-in, opaque to the core */
typedef struct tl_block tl_block;   /* a piece of device memory: likewise */
typedef struct tl_stream tl_stream; /* a queue of work: likewise; NULL is the device's default stream */
typedef struct tl_event tl_event;   /* a point in a stream: likewise */

enum { TL_VIEW_ALIGNED = 1 /* base + byte_offset is a multiple of the device's alignment (host: 64) */ };

/* A strided window into memory. Element (i0, i1, …) lies at
 *   (char*)base + byte_offset + (i0*stride[0] + i1*stride[1] + …) * bits/8.
 * Strides count elements and are defined for all `rank` dimensions (any value where the extent is 1 or
 * there are no elements); beyond `rank` both arrays are undefined. 0 with an extent above 1 is a
 * broadcast dimension (inputs only). Negative strides occur.
 * Transposition and broadcasting are strides, never flags. Nothing is promised about alignment
 * beyond the dtype's own unless TL_VIEW_ALIGNED is set. */
typedef struct tl_view {
  uint32_t size;
  uint32_t flags;
  tl_dtype dtype;
  uint32_t rank; /* 0 … TL_MAX_RANK */
  void* base;    /* NULL is allowed where the view has no elements, and in `supports` */
  uint64_t byte_offset;
  tl_block* block; /* the device memory `base` belongs to; NULL for host memory */
  int64_t extent[TL_MAX_RANK];
  int64_t stride[TL_MAX_RANK];
} tl_view;

/* ---- functions and primitives -------------------------------------------------------------- */

/* Function ids TL_MAP_…, TL_ZIP_…, TL_REDUCE_… from the one list of operations. */
#define TL_MAP(id, name, ...) TL_MAP_##name = id,
#define TL_ZIP(id, name, ...) TL_ZIP_##name = id,
#define TL_REDUCE(id, name, ...) TL_REDUCE_##name = id,
enum {
#include "ops.def"
  TL_FN_NONE = 0
};

/* Ids of the primitives, for `supports`. */
enum {
  TL_PRIMITIVE_MAP = 1,
  TL_PRIMITIVE_ZIP = 2,
  TL_PRIMITIVE_REDUCE = 3,
  TL_PRIMITIVE_MATMUL = 4,
  TL_PRIMITIVE_ATTN_SOFTMAX_FW = 5,
  TL_PRIMITIVE_ATTN_SOFTMAX_BW = 6,
  TL_PRIMITIVE_LAYERNORM_FW = 7,
  TL_PRIMITIVE_LAYERNORM_BW = 8
};

/* First member of every argument struct. */
typedef struct tl_args {
  uint32_t size;            /* of the whole argument struct */
  uint32_t flags;           /* 0; an unknown bit is declined */
  const tl_view* workspace; /* aligned uint8 memory of the size `supports` asked for, else NULL; never
                               for map, zip and extensions, which do without */
} tl_args;

/* output = fn(input; params). Views have equal extents. No input: fill, arange, eye. There are as many
 * params as ops.def says; those beyond param_count are not read. */
typedef struct tl_map_args {
  tl_args head;
  uint32_t fn; /* TL_MAP_… */
  uint32_t param_count;
  const tl_view* input; /* NULL for creation */
  const tl_view* output;
  double params[TL_MAX_PARAMS];
} tl_map_args;

/* output = fn(inputs…; params). All views have the output's extents; broadcasting is stride 0. */
typedef struct tl_zip_args {
  tl_args head;
  uint32_t fn;          /* TL_ZIP_… */
  uint32_t input_count; /* 2 or 3 */
  const tl_view* inputs[3];
  const tl_view* output;
  uint32_t param_count;
  uint32_t reserved;
  double params[TL_MAX_PARAMS];
} tl_zip_args;

/* output = fn over the axes in the mask. Both views have the same rank; reduced axes have extent 1 in
 * the output. Bit k of the mask is axis k; an empty mask converts element by element. argmax and
 * argmin write int64, the row-major position among the reduced axes. The order of the sum and product is
 * the plug-in's own. */
typedef struct tl_reduce_args {
  tl_args head;
  uint32_t fn; /* TL_REDUCE_… */
  uint32_t axis_mask;
  const tl_view* input;
  const tl_view* output;
} tl_reduce_args;

/* output[…,m,n] = activation(alpha * a[…,m,k] b[…,k,n] + beta * output + bias). Equal ranks ≥ 2, equal
 * batch extents (stride 0 where broadcast). K = 0 gives beta * output + bias. beta = 0 does not read
 * the output. bias has the output's dtype and extents, and strides of its own (0 to broadcast). float16
 * and bfloat16 operands accumulate in float32 and give either their own type or float32. */
typedef struct tl_matmul_args {
  tl_args head;
  const tl_view* a;
  const tl_view* b;
  const tl_view* output;
  double alpha;
  double beta;
  const tl_view* bias; /* or NULL */
  uint32_t activation; /* TL_MAP_… without parameters, or TL_FN_NONE */
  uint32_t reserved;
} tl_matmul_args;

/* output = softmax over the last axis of scale * input + mask. causal: column j of row i (the last but
 * one axis; 0 for rank 1) counts only where j ≤ i + causal_offset, the others are not looked at and
 * give 0. A row with nothing left, or -inf everywhere, gives 0. The mask has the input's dtype and
 * extents, stride 0 where broadcast. */
typedef struct tl_attn_softmax_fw_args {
  tl_args head;
  const tl_view* input;
  const tl_view* mask; /* or NULL */
  const tl_view* output;
  double scale;
  int64_t causal_offset;
  uint32_t causal; /* 0 or 1 */
  uint32_t reserved;
} tl_attn_softmax_fw_args;

/* output = scale * soft * (grad − Σ grad * soft), the sum over the last axis. */
typedef struct tl_attn_softmax_bw_args {
  tl_args head;
  const tl_view* grad;
  const tl_view* soft;
  const tl_view* output;
  double scale;
} tl_attn_softmax_bw_args;

/* output = (input − mean) / sqrt(variance + eps) * gamma + beta over the last `normalized` axes, with
 * the population variance. gamma and beta have those axes (NULL: 1 and 0). mean and rstd, where given,
 * receive mean and 1/sqrt(variance + eps); they have the leading axes, and share memory with no input.
 * 1 ≤ normalized ≤ rank. All views have one dtype. */
typedef struct tl_layernorm_fw_args {
  tl_args head;
  const tl_view* input;
  const tl_view* gamma; /* or NULL */
  const tl_view* beta;  /* or NULL */
  const tl_view* output;
  const tl_view* mean; /* output, or NULL */
  const tl_view* rstd; /* output, or NULL */
  double eps;
  uint32_t normalized;
  uint32_t reserved;
} tl_layernorm_fw_args;

/* Gradients of the above. Each output may be NULL; dgamma and dbeta share memory with no input. mean and
 * rstd are what the forward saved; where NULL they are computed again from input and eps. */
typedef struct tl_layernorm_bw_args {
  tl_args head;
  const tl_view* grad;
  const tl_view* input;
  const tl_view* gamma;  /* or NULL */
  const tl_view* mean;   /* or NULL */
  const tl_view* rstd;   /* or NULL */
  const tl_view* dinput; /* output, or NULL */
  const tl_view* dgamma; /* output, or NULL */
  const tl_view* dbeta;  /* output, or NULL */
  double eps;
  uint32_t normalized;
  uint32_t reserved;
} tl_layernorm_bw_args;

/* ---- what `supports` answers --------------------------------------------------------------- */

enum {
  TL_TRAIT_IN_PLACE = 1,   /* the output may be the very same view as an input */
  TL_TRAIT_REPEATABLE = 2, /* the same inputs give the same bits */
  TL_TRAIT_SLOW = 4        /* works, but the device has nothing good for it */
};

typedef struct tl_support {
  uint32_t size;
  uint32_t traits;
  uint64_t workspace_bytes; /* scratch memory the call wants; 0 for none */
} tl_support;

/* ---- devices and memory -------------------------------------------------------------------- */

typedef struct tl_device_info {
  uint32_t size;
  uint32_t memory_space;  /* TL_SPACE_…: HOST devices work on memory that the core owns */
  uint64_t memory_bytes;  /* 0: unknown or the host's */
  uint32_t alignment;     /* of memory from `allocate`, in bytes; 0 for HOST devices */
  uint32_t reserved;
  char description[128];  /* for people: "NVIDIA H200, compute capability 9.0" */
  char instruction_set[32]; /* "avx512", "sm_90" … */
} tl_device_info;

/* A place in memory: the host's where block is NULL, otherwise the device's. */
typedef struct tl_memory {
  void* base;
  tl_block* block;
  uint64_t byte_offset;
} tl_memory;

typedef struct tl_copy_args {
  uint32_t size;
  uint32_t reserved;
  tl_memory source;
  tl_memory destination;
  uint64_t bytes;
} tl_copy_args;

/* What the structs that a caller fills had in minor 0, in bytes. A callee that understands no more takes these
 * for the least that it is given and for the end of what it knows. */
enum {
  TL_VIEW_SIZE_0 = 168, TL_MAP_ARGS_SIZE_0 = 72, TL_ZIP_ARGS_SIZE_0 = 96, TL_REDUCE_ARGS_SIZE_0 = 40,
  TL_MATMUL_ARGS_SIZE_0 = 72, TL_ATTN_SOFTMAX_FW_ARGS_SIZE_0 = 64, TL_ATTN_SOFTMAX_BW_ARGS_SIZE_0 = 48,
  TL_LAYERNORM_FW_ARGS_SIZE_0 = 80, TL_LAYERNORM_BW_ARGS_SIZE_0 = 96, TL_COPY_ARGS_SIZE_0 = 64,
  TL_HOST_SIZE_0 = 40
};

/* ---- the table ----------------------------------------------------------------------------- */

/* Required: device_count, device_info, open, close, supports, map, zip, reduce, matmul. A device whose
 * memory_space isn't TL_SPACE_HOST also needs the memory and stream functions up to stream_sync; events
 * are optional (the core synchronises instead). Everything else may be NULL. */
typedef struct tl_backend {
  uint32_t size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const char* name;    /* as in the note */
  const char* version; /* as in the note */

  /* devices [control] */
  int32_t (*device_count)(uint32_t* count, tl_error* error) TL_NOEXCEPT;
  int32_t (*device_info)(uint32_t index, tl_device_info* info, tl_error* error) TL_NOEXCEPT;
  int32_t (*open)(uint32_t index, tl_device** device, tl_error* error) TL_NOEXCEPT;
  void (*close)(tl_device* device) TL_NOEXCEPT;
  void (*shutdown)(void) TL_NOEXCEPT; /* may never come */

  /* memory [any]. allocate gives memory for use on `stream`; release returns it once the work that
   * was enqueued on `stream` before this call has finished. */
  int32_t (*allocate)(tl_device* device, tl_stream* stream, uint64_t bytes, tl_memory* memory,
                      tl_error* error) TL_NOEXCEPT;
  int32_t (*release)(tl_device* device, tl_stream* stream, const tl_memory* memory,
                     tl_error* error) TL_NOEXCEPT;
  /* [stream] Bytes from or to this device. May return before the copy is done: host memory must then
   * stay valid and untouched until the stream is synchronised. */
  int32_t (*copy)(tl_device* device, tl_stream* stream, const tl_copy_args* args,
                  tl_error* error) TL_NOEXCEPT;

  /* streams [stream]. Late failures appear here, name the operation, and stay until it is reopened. */
  int32_t (*stream_open)(tl_device* device, tl_stream** stream, tl_error* error) TL_NOEXCEPT;
  int32_t (*stream_close)(tl_device* device, tl_stream* stream, tl_error* error) TL_NOEXCEPT;
  int32_t (*stream_poll)(tl_device* device, tl_stream* stream, tl_error* error) TL_NOEXCEPT;
  int32_t (*stream_sync)(tl_device* device, tl_stream* stream, tl_error* error) TL_NOEXCEPT;

  /* events [any]. record marks the stream's present end; wait makes a stream wait for that mark. */
  int32_t (*event_open)(tl_device* device, tl_event** event, tl_error* error) TL_NOEXCEPT;
  int32_t (*event_close)(tl_device* device, tl_event* event, tl_error* error) TL_NOEXCEPT;
  int32_t (*event_record)(tl_device* device, tl_stream* stream, tl_event* event,
                          tl_error* error) TL_NOEXCEPT;
  int32_t (*event_wait)(tl_device* device, tl_stream* stream, tl_event* event,
                        tl_error* error) TL_NOEXCEPT;
  int32_t (*event_poll)(tl_device* device, tl_event* event, tl_error* error) TL_NOEXCEPT;

  /* [any] Will this call work? Takes the call's own argument struct; memory need not exist yet (base
   * and block are not looked at). TL_OK is a promise: the call then fails only for lack of memory or
   * a lost device. TL_DECLINED comes with the reason in `error`. Not every call is asked about: map, zip
   * and the extensions, which want no workspace, are called at once. So each primitive looks at its
   * arguments itself, and declines what supports would. */
  int32_t (*supports)(tl_device* device, uint32_t primitive, const tl_args* args, tl_support* answer,
                      tl_error* error) TL_NOEXCEPT;
  /* [any] The extension's table (see ext/), or NULL. The id holds the revision: "torchlight.index/1". */
  const void* (*extension)(tl_device* device, const char* id) TL_NOEXCEPT;

  /* the primitives [stream]. They allocate nothing and write nothing but their outputs. An output
   * never overlaps an input, except as the same view where TL_TRAIT_IN_PLACE was answered. */
  int32_t (*map)(tl_device* device, tl_stream* stream, const tl_map_args* args,
                 tl_error* error) TL_NOEXCEPT;
  int32_t (*zip)(tl_device* device, tl_stream* stream, const tl_zip_args* args,
                 tl_error* error) TL_NOEXCEPT;
  int32_t (*reduce)(tl_device* device, tl_stream* stream, const tl_reduce_args* args,
                    tl_error* error) TL_NOEXCEPT;
  int32_t (*matmul)(tl_device* device, tl_stream* stream, const tl_matmul_args* args,
                    tl_error* error) TL_NOEXCEPT;
  int32_t (*attn_softmax_fw)(tl_device* device, tl_stream* stream, const tl_attn_softmax_fw_args* args,
                             tl_error* error) TL_NOEXCEPT; /* optional */
  int32_t (*attn_softmax_bw)(tl_device* device, tl_stream* stream, const tl_attn_softmax_bw_args* args,
                             tl_error* error) TL_NOEXCEPT; /* optional */
  int32_t (*layernorm_fw)(tl_device* device, tl_stream* stream, const tl_layernorm_fw_args* args,
                          tl_error* error) TL_NOEXCEPT; /* optional */
  int32_t (*layernorm_bw)(tl_device* device, tl_stream* stream, const tl_layernorm_bw_args* args,
                          tl_error* error) TL_NOEXCEPT; /* optional */
} tl_backend;

/* ---- the core's services ------------------------------------------------------------------- */

enum { TL_LOG_DEBUG = 0, TL_LOG_INFO = 1, TL_LOG_WARN = 2, TL_LOG_ERROR = 3 };

struct tl_host {
  uint32_t size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const char* version; /* of the core library, "0.1.0" */
  /* [any] One line for the log. */
  void (*log)(const tl_host* host, uint32_t level, const char* text) TL_NOEXCEPT;
  /* [any] The value of an environment variable as the core read it at its first use, or NULL. */
  const char* (*setting)(const tl_host* host, const char* name) TL_NOEXCEPT;
  /* [any] An extension of the core, for example "torchlight.host.parallel/1", or NULL. */
  const void* (*extension)(const tl_host* host, const char* id) TL_NOEXCEPT;
};

/* ---- the two gates ------------------------------------------------------------------------- */

/* Gate 1: the identity note, an ELF note read before any code of the file runs. */
enum { TL_KIND_BACKEND = 1 };
enum { TL_SANITIZER_NONE = 0, TL_SANITIZER_ADDRESS = 1, TL_SANITIZER_THREAD = 2, TL_SANITIZER_MEMORY = 3 };

/* CPU features a file needs as a whole (not those it chooses at run time). */
enum {
  TL_CPU_SSE42 = 1, TL_CPU_AVX = 2, TL_CPU_AVX2 = 4, TL_CPU_FMA = 8, TL_CPU_F16C = 16, TL_CPU_BMI2 = 32,
  TL_CPU_AVX512F = 64, TL_CPU_AVX512BW = 128, TL_CPU_AVX512DQ = 256, TL_CPU_AVX512VL = 512,
  TL_CPU_AVX512_BF16 = 1024, TL_CPU_AMX = 2048, TL_CPU_NEON = 4096, TL_CPU_SVE = 8192
};

#define TL_NOTE_OWNER "Torchlight" /* the note's name field, 11 bytes padded to 12 */
#define TL_NOTE_TYPE 0x544c        /* "TL" */
#define TL_NOTE_MAGIC "TLPLUGIN"

typedef struct tl_note { /* the note's content: 112 bytes, no padding */
  char magic[8];
  uint16_t abi_major;
  uint16_t abi_minor_built;  /* the header it was compiled with */
  uint16_t abi_minor_needed; /* the oldest core that will do */
  uint16_t kind;             /* TL_KIND_… */
  uint32_t sanitizer;        /* TL_SANITIZER_… */
  uint32_t reserved0;
  uint64_t cpu_needs; /* TL_CPU_… */
  char name[32];      /* a-z, 0-9, _ ; also the device's name */
  char version[24];
  uint8_t reserved1[24];
} tl_note;

typedef struct tl_elf_note { /* as it stands in the file: 136 bytes */
  uint32_t name_size;
  uint32_t content_size;
  uint32_t type;
  char owner[12];
  tl_note content;
} tl_elf_note;

#if defined(__SANITIZE_ADDRESS__)
#define TL_SANITIZER_THIS TL_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define TL_SANITIZER_THIS TL_SANITIZER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TL_SANITIZER_THIS TL_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define TL_SANITIZER_THIS TL_SANITIZER_THREAD
#elif __has_feature(memory_sanitizer)
#define TL_SANITIZER_THIS TL_SANITIZER_MEMORY
#endif
#endif
#ifndef TL_SANITIZER_THIS
#define TL_SANITIZER_THIS TL_SANITIZER_NONE
#endif

/* The oldest core that will do. Define it before including this header if you use newer additions. */
#ifndef TL_ABI_MINOR_NEEDED
#define TL_ABI_MINOR_NEEDED 0
#endif

/* Puts the note into the file. Write it once, at file scope, outside any namespace. `needs` is a sum of
 * TL_CPU_… that every line of the file needs, usually 0. */
#define TL_PLUGIN_NOTE(plugin_name, plugin_version, needs)                                            \
  extern __attribute__((visibility("hidden"))) const tl_elf_note tl_plugin_note_;                     \
  __attribute__((section(".note.torchlight"), used, aligned(4)))                                      \
  const tl_elf_note tl_plugin_note_ = {                                                               \
      11, sizeof(tl_note), TL_NOTE_TYPE, TL_NOTE_OWNER,                                               \
      {{'T', 'L', 'P', 'L', 'U', 'G', 'I', 'N'}, TL_ABI_MAJOR, TL_ABI_MINOR, TL_ABI_MINOR_NEEDED,     \
       TL_KIND_BACKEND, TL_SANITIZER_THIS, 0, needs, plugin_name, plugin_version, {0}}}

#define TL_EXPORT __attribute__((visibility("default")))

/* Gate 2: the one exported function. Called once, after the note was accepted. Gives the table, which
 * stays valid for the rest of the process. [control] */
#define TL_ENTRY_NAME "torchlight_plugin_v1"
TL_EXPORT int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend,
                                       tl_error* error) TL_NOEXCEPT;

/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif /* TORCHLIGHT_PLUGIN_H */
