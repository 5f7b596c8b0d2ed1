#pragma once

#include <stdio.h>

#include <cmath>
#include <limits>

#include "../kernels/index.cuh"

/// What our launchers share. They take host pointers, copy to the device and back, and never end the process: what
/// goes wrong leaves NaN in the outputs and a line on stderr.
namespace drop_in {

/// The device memory and the fate of one call. After the first failure nothing more is done.
class Call {
 public:
  Call(const char* name, cudaStream_t stream) : name_(name), stream_(stream) {}
  ~Call() {
    for (int i = 0; i < blocks_; ++i) cudaFree(block_[i]);
    if (failed()) fprintf(stderr, "%s: %s\n", name_, reason_ ? reason_ : cudaGetErrorString(error_));
    cudaGetLastError();  // told; the next call begins anew
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool failed() const { return error_ != cudaSuccess; }
  /// Fails for a reason of our own.
  void refuse(const char* reason) {
    error_ = cudaErrorInvalidValue;
    reason_ = reason;
  }

  /// Room for `count` numbers on the device, with those of the host where there are any.
  template <class T> T* room(int64_t count, const T* from = nullptr) {
    void* memory = nullptr;
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    if (!failed()) note(cudaMalloc(&memory, bytes));
    if (!failed()) block_[blocks_++] = memory;
    if (!failed() && from) note(cudaMemcpyAsync(memory, from, bytes, cudaMemcpyHostToDevice, stream_));
    return static_cast<T*>(memory);
  }

  template <class Arguments>
  void launch(const void* kernel, int64_t blocks, dim3 threads, Arguments arguments) {
    if (failed() || blocks == 0) return;
    const unsigned grid = static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff);
    void* list[] = {&arguments};
    note(cudaLaunchKernel(kernel, dim3(grid), threads, list, 0, stream_));
  }

  /// Brings numbers back to the host when all is done, or NaN.
  void fetch(float* to, const float* from, int64_t count) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(float);
    if (!failed()) note(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    if (!failed()) note(cudaStreamSynchronize(stream_));
    for (int64_t i = 0; failed() && i < count; ++i) to[i] = std::numeric_limits<float>::quiet_NaN();
  }

 private:
  void note(cudaError_t result) { error_ = result; }

  static constexpr int most_blocks = 16;

  const char* const name_;
  const cudaStream_t stream_;
  cudaError_t error_ = cudaSuccess;
  const char* reason_ = nullptr;
  void* block_[most_blocks];
  int blocks_ = 0;
};

/// Loops over so many operands, given from the outside in by add().
template <int operands> class Loops {
 public:
  Loops() { nest_.count = 1; }

  Loops& add(int64_t extent, const int64_t (&stride)[operands]) {
    for (int d = nest_.rank; d > 0; --d) {  // the innermost stands first
      nest_.extent[d] = nest_.extent[d - 1];
      for (int k = 0; k < operands; ++k) nest_.stride[k][d] = nest_.stride[k][d - 1];
    }
    nest_.extent[0] = extent;
    for (int k = 0; k < operands; ++k) nest_.stride[k][0] = stride[k];
    ++nest_.rank;
    nest_.count *= extent;
    return *this;
  }
  const kernels::Nest<operands>& nest() const { return nest_; }

 private:
  kernels::Nest<operands> nest_ = {};
};

}  // namespace drop_in
