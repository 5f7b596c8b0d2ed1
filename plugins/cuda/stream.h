#pragma once

#include <cuda_runtime_api.h>
#include <torchlight/plugin.h>

#include "kernels/index_fault.cuh"

/// A queue of work. What fails late is kept and told at every later call, until the stream is closed.
struct tl_stream {
 public:
  int32_t open(tl_error* error) noexcept;
  int32_t close(tl_error* error) noexcept;  ///< finishes the work first

  cudaStream_t queue() const noexcept { return queue_; }
  /// Where this stream's work notes an index out of range.
  kernels::IndexFault* index_fault() const noexcept { return fault_; }

  /// TL_OK, or the failure that was found before.
  int32_t check(tl_error* error) const noexcept;
  /// Work was enqueued, or couldn't be.
  int32_t enqueued(cudaError_t result, const char* operation, tl_error* error) noexcept;
  /// Before the end of the stream is next waited for, the note of bad indices has to be read.
  void expects_indices() noexcept { checks_indices_ = true; }

  int32_t poll(tl_error* error) noexcept;
  int32_t sync(tl_error* error) noexcept;

 private:
  int32_t finished(tl_error* error) noexcept;
  int32_t fail(cudaError_t result, tl_error* error) noexcept;
  int32_t read_index_fault(tl_error* error) noexcept;

  static constexpr unsigned remembered = 8;

  cudaStream_t queue_ = nullptr;
  kernels::IndexFault* fault_ = nullptr;
  bool checks_indices_ = false;
  int32_t status_ = TL_OK;
  char failure_[240] = {};
  const char* operation_[remembered] = {};  // enqueued since the stream was last seen to be well
  unsigned operations_ = 0;
};

namespace cuda_backend {

int32_t stream_open(tl_device* device, tl_stream** stream, tl_error* error) noexcept;
int32_t stream_close(tl_device* device, tl_stream* stream, tl_error* error) noexcept;
int32_t stream_poll(tl_device* device, tl_stream* stream, tl_error* error) noexcept;
int32_t stream_sync(tl_device* device, tl_stream* stream, tl_error* error) noexcept;
int32_t event_open(tl_device* device, tl_event** event, tl_error* error) noexcept;
int32_t event_close(tl_device* device, tl_event* event, tl_error* error) noexcept;
int32_t event_record(tl_device* device, tl_stream* stream, tl_event* event, tl_error* error) noexcept;
int32_t event_wait(tl_device* device, tl_stream* stream, tl_event* event, tl_error* error) noexcept;
int32_t event_poll(tl_device* device, tl_event* event, tl_error* error) noexcept;

}  // namespace cuda_backend
