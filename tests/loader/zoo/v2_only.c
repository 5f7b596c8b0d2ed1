/* The entry of a later major alone. */
#define ZOO_NAME "v2_only"
#include "good_backend.h"
TL_EXPORT int32_t torchlight_plugin_v2(void);
int32_t torchlight_plugin_v2(void) { return (int32_t)zoo_table.size; }
