/* A note and no entry. */
#define ZOO_NAME "no_entry"
#include "good_backend.h"
TL_EXPORT const tl_backend* zoo_other(void);
const tl_backend* zoo_other(void) { return &zoo_table; }
