/* Prints what layout.inc lists as the compiler lays it out, one line each: "tl_view.rank 12 4". Fails if
 * the listed fields don't fill their struct from end to end, for then one is missing. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <torchlight/ext/details.h>
#include <torchlight/ext/host_parallel.h>
#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

static size_t reached; /* the end of the last field */
static int holes;

static void field(const char* type, const char* name, size_t offset, size_t bytes) {
  printf("%s.%s %zu %zu\n", type, name, offset, bytes);
  if (offset != reached) fprintf(stderr, "%s: what lies before %s isn't listed\n", type, name), ++holes;
  reached = offset + bytes;
}

static void whole(const char* type, size_t bytes) {
  printf("%s %zu\n", type, bytes);
  if (bytes != reached) fprintf(stderr, "%s: its last fields aren't listed\n", type), ++holes;
  reached = 0;
}

#define FIELD(type, name, offset, bytes) \
  field(#type, #name, offsetof(struct type, name), sizeof(((struct type*)0)->name));
#define STRUCT(type, bytes) whole(#type, sizeof(struct type));
#define VALUE(name, value) printf("%s %d\n", #name, (int)(name));

int main(void) {
#include "layout.inc"
  printf("TL_ABI_MAJOR %d\n%s\n", TL_ABI_MAJOR, TL_ENTRY_NAME);
  printf("%s\n%s\n%s\n%s\n%s\n%s\n", TL_EXT_DETAILS, TL_EXT_HOST_PARALLEL, TL_EXT_INDEX, TL_EXT_OPTIM,
         TL_EXT_RANDOM, TL_EXT_SCAN);
  return holes != 0;
}
