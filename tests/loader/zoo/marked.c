/* Good, but tells when it is loaded. */
#define ZOO_NAME "marked"
#include "good_backend.h"
#include "marker.h"
ZOO_ENTRY()
