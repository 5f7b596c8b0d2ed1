// What nearly every test includes: what is precompiled for them is compiled with this file's flags.
#include <doctest/doctest.h>
#include <torchlight/torchlight.h>
