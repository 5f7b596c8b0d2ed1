// What C code calls and can't catch.
#include <stdexcept>

extern "C" void zoo_throw() { throw std::runtime_error("thrown through a table"); }
