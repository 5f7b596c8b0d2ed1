#pragma once

// Occupancy for typed kernels, and the search for the block size that fills a multiprocessor best.

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel,
                                                                        int block_size,
                                                                        size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, block_size,
                                                       dynamic_shared_bytes);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, T kernel, int block_size, size_t dynamic_shared_bytes, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void*)kernel, block_size,
                                                                dynamic_shared_bytes, flags);
}

/// `shared_of(block_size)` tells the dynamic shared memory of a block of that size.
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size,
                                                                         int* block_size, T kernel,
                                                                         Shared shared_of,
                                                                         int block_size_limit = 0) {
  int device = 0, processors = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, (const void*)kernel);
  if (error != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock;
  if (block_size_limit > 0 && block_size_limit < limit) limit = block_size_limit;
  int best_threads = 0;
  for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
    const int candidate = size < limit ? size : limit;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)kernel, candidate,
                                                          shared_of(candidate));
    if (error != cudaSuccess) return error;
    if (blocks * candidate > best_threads) {
      best_threads = blocks * candidate;
      *block_size = candidate;
      *min_grid_size = blocks * processors;
    }
  }
  return cudaSuccess;
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size,
                                                             T kernel, size_t dynamic_shared_bytes = 0,
                                                             int block_size_limit = 0) {
  struct Same {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
  };
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(min_grid_size, block_size, kernel,
                                                        Same{dynamic_shared_bytes}, block_size_limit);
}
