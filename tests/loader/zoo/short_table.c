/* Says that its table ends after $ZOO_SIZE bytes. */
#define ZOO_NAME "short_table"
#include <stdlib.h>

#include "good_backend.h"
ZOO_ENTRY(zoo_table.size = (uint32_t)atoi(getenv("ZOO_SIZE")))
