#pragma once

// Barriers and fences. __syncthreads itself is a built-in of clang.

TWIN_D int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
TWIN_D int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
TWIN_D int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
TWIN_D void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
TWIN_D void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
TWIN_D void __barrier_sync_count(unsigned int id, unsigned int count) {
  __nvvm_barrier_sync_cnt(id, count);
}

TWIN_D void __threadfence_block() { __nvvm_membar_cta(); }
TWIN_D void __threadfence() { __nvvm_membar_gl(); }
TWIN_D void __threadfence_system() { __nvvm_membar_sys(); }
