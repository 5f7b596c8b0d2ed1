/* Only has to compile, as C11 and as C++20: the layout of the plug-in ABI is frozen. With CONTROL one row
 * is wrong, and it must not compile. */
#include <assert.h>
#include <stddef.h>

#include <torchlight/ext/details.h>
#include <torchlight/ext/host_parallel.h>
#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

#define FIELD(type, field, offset, bytes)                           \
  static_assert(offsetof(struct type, field) == (offset), "moved"); \
  static_assert(sizeof(((struct type*)0)->field) == (bytes), "changed its size");
#define STRUCT(type, bytes) static_assert(sizeof(struct type) == (bytes), "changed its size");
#define VALUE(name, value) static_assert((int)(name) == (value), "changed its value");
#include "layout.inc"

#ifdef CONTROL
FIELD(tl_view, rank, 16, 4)
#endif
