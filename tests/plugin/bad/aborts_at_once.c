/* Ends the process before anybody has called it. */
#include <stdlib.h>

#include "bad.h"

__attribute__((constructor)) static void at_once(void) { abort(); }

static void spoil(tl_backend* t) { (void)t; }
