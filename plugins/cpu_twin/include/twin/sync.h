#pragma once

// Barriers and fences. In assembly, because clang 14 believes that its own built-ins can't change a variable in shared
// memory whose address nobody takes, and moves reads of it before the barrier.

TWIN_D void twin_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() twin_syncthreads()

TWIN_D void twin_keep_order() { asm volatile("" ::: "memory"); }
#define TWIN_BARRIER_REDUCTION(name, builtin) \
  TWIN_D int name(int predicate) {            \
    twin_keep_order();                        \
    const int result = builtin(predicate);    \
    twin_keep_order();                        \
    return result;                            \
  }
TWIN_BARRIER_REDUCTION(__syncthreads_count, __nvvm_bar0_popc)
TWIN_BARRIER_REDUCTION(__syncthreads_and, __nvvm_bar0_and)
TWIN_BARRIER_REDUCTION(__syncthreads_or, __nvvm_bar0_or)
#undef TWIN_BARRIER_REDUCTION

TWIN_D void __syncwarp(unsigned int mask = 0xffffffffu) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
TWIN_D void __barrier_sync(unsigned int id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
TWIN_D void __barrier_sync_count(unsigned int id, unsigned int count) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

TWIN_D void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
TWIN_D void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
TWIN_D void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
