/* From the future: the table goes on, with functions that nobody here knows. */
#define ZOO_NAME "longer_table"
#include "good_backend.h"
static struct {
  tl_backend known;
  void* unknown[8];
} longer;
ZOO_ENTRY(longer.known = zoo_table; longer.known.size = sizeof longer; longer.known.abi_minor = 7;
          longer.unknown[0] = &longer; *backend = &longer.known; return TL_OK)
