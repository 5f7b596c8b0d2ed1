/* Good, but linked against libzoodep.so. */
#ifndef ZOO_NAME
#define ZOO_NAME "dependent"
#endif
#include "good_backend.h"
int zoo_dependency(void);
ZOO_ENTRY(if (zoo_dependency() != 42) return TL_E_INTERNAL)
