/* No plug-in, just a shared object with a constructor that must not run. */
#include "marker.h"
int foreign_function(void);
__attribute__((visibility("default"))) int foreign_function(void) { return 1; }
