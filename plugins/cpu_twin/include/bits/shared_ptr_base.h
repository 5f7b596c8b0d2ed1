// Stands before the C++ library's header of that name, which spells the attribute `__noinline__`, a word that
// CUDA has for a macro: clang before version 16 stops at what becomes of it. What includes <memory>, in a
// kernel's file or in the twin itself, then compiles.
#pragma once
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
