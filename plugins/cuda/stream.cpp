#include "stream.h"

#include <cstdio>
#include <cstring>
#include <new>

#include "common/errors.h"
#include "device.h"
#include "status.h"

using cuda_backend::check_call;

int32_t tl_stream::open(tl_error* error) noexcept {
  if (int32_t status =
          check_call(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking), "stream_open", error))
    return status;
  void* memory = nullptr;
  cudaError_t result = cudaMalloc(&memory, sizeof(kernels::IndexFault));
  if (result == cudaSuccess) result = cudaMemsetAsync(memory, 0, sizeof(kernels::IndexFault), queue_);
  if (result == cudaSuccess) result = cudaMemsetAsync(memory, 0xff, sizeof fault_->position, queue_);
  fault_ = static_cast<kernels::IndexFault*>(memory);
  if (result != cudaSuccess) close(nullptr);
  return check_call(result, "stream_open", error);
}

int32_t tl_stream::close(tl_error* error) noexcept {
  const int32_t status = queue_ ? sync(error) : TL_OK;
  if (fault_) cudaFree(fault_);
  if (queue_) cudaStreamDestroy(queue_);
  cudaGetLastError();
  queue_ = nullptr;
  fault_ = nullptr;
  return status;
}

int32_t tl_stream::check(tl_error* error) const noexcept {
  return status_ == TL_OK ? TL_OK : plugins::fail(status_, error, "%s", failure_);
}

int32_t tl_stream::enqueued(cudaError_t result, const char* operation, tl_error* error) noexcept {
  operation_[operations_++ % remembered] = operation;
  if (result == cudaSuccess) return TL_OK;
  // A launch that was refused leaves the stream as it was; anything else comes from work before it.
  const bool refused = result == cudaErrorInvalidConfiguration || result == cudaErrorInvalidValue ||
                       result == cudaErrorLaunchOutOfResources || result == cudaErrorMemoryAllocation ||
                       result == cudaErrorNoKernelImageForDevice ||
                       result == cudaErrorInvalidDeviceFunction;
  return refused ? check_call(result, operation, error) : fail(result, error);
}

/// The runtime doesn't say which kernel it was, so the text names those that it may have been.
int32_t tl_stream::fail(cudaError_t result, tl_error* error) noexcept {
  char names[120] = "";
  const unsigned known = operations_ < remembered ? operations_ : remembered;
  for (unsigned i = operations_ - known; i < operations_; ++i) {
    const std::size_t length = std::strlen(names);
    std::snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                  operation_[i % remembered]);
  }
  status_ = TL_E_DEVICE;
  std::snprintf(failure_, sizeof failure_, "late failure of %s%s: %s (%s)",
                operations_ > 1 ? "one of " : "", names, cudaGetErrorString(result),
                cudaGetErrorName(result));
  cudaGetLastError();
  return check(error);
}

int32_t tl_stream::poll(tl_error* error) noexcept {
  if (int32_t status = check(error)) return status;
  const cudaError_t result = cudaStreamQuery(queue_);
  if (result == cudaErrorNotReady) {
    cudaGetLastError();
    return plugins::fail(TL_NOT_READY, error, "still working");
  }
  return result == cudaSuccess ? finished(error) : fail(result, error);
}

int32_t tl_stream::sync(tl_error* error) noexcept {
  if (int32_t status = check(error)) return status;
  const cudaError_t result = cudaStreamSynchronize(queue_);
  return result == cudaSuccess ? finished(error) : fail(result, error);
}

int32_t tl_stream::finished(tl_error* error) noexcept {
  if (checks_indices_)
    if (int32_t status = read_index_fault(error)) return status;
  operations_ = 0;
  return TL_OK;
}

int32_t tl_stream::read_index_fault(tl_error* error) noexcept {
  kernels::IndexFault found;
  cudaError_t result = cudaMemcpyAsync(&found, fault_, sizeof found, cudaMemcpyDeviceToHost, queue_);
  if (result == cudaSuccess) result = cudaStreamSynchronize(queue_);
  if (result != cudaSuccess) return fail(result, error);
  checks_indices_ = false;
  if (found.position == kernels::no_fault) return TL_OK;
  status_ = TL_E_ARGUMENT;
  std::snprintf(
      failure_, sizeof failure_,
      "late failure of gather or scatter_add: index %lld at position %llu is outside 0 to %lld",
      static_cast<long long>(found.value), static_cast<unsigned long long>(found.position),
      static_cast<long long>(found.limit - 1));
  return check(error);
}

struct tl_event {
  cudaEvent_t mark;
};

namespace cuda_backend {

int32_t stream_open(tl_device* device, tl_stream** stream, tl_error* error) noexcept {
  const OnDevice here(device);
  tl_stream* const opened = new (std::nothrow) tl_stream;
  if (!opened) return plugins::fail(TL_E_MEMORY, error, "no memory for a stream");
  if (int32_t status = opened->open(error)) {
    delete opened;
    return status;
  }
  *stream = opened;
  return TL_OK;
}

int32_t stream_close(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  const OnDevice here(device);
  const int32_t status = stream->close(error);
  delete stream;
  return status;
}

int32_t stream_poll(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  const OnDevice here(device);
  return device->stream(stream).poll(error);
}

int32_t stream_sync(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  const OnDevice here(device);
  return device->stream(stream).sync(error);
}

int32_t event_open(tl_device* device, tl_event** event, tl_error* error) noexcept {
  const OnDevice here(device);
  tl_event* const opened = new (std::nothrow) tl_event{};
  if (!opened) return plugins::fail(TL_E_MEMORY, error, "no memory for an event");
  if (int32_t status = check_call(cudaEventCreateWithFlags(&opened->mark, cudaEventDisableTiming),
                                  "event_open", error)) {
    delete opened;
    return status;
  }
  *event = opened;
  return TL_OK;
}

int32_t event_close(tl_device* device, tl_event* event, tl_error* error) noexcept {
  const OnDevice here(device);
  const cudaError_t result = cudaEventDestroy(event->mark);
  delete event;
  return check_call(result, "event_close", error);
}

int32_t event_record(tl_device* device, tl_stream* given, tl_event* event, tl_error* error) noexcept {
  const OnDevice here(device);
  tl_stream& stream = device->stream(given);
  if (int32_t status = stream.check(error)) return status;
  return check_call(cudaEventRecord(event->mark, stream.queue()), "event_record", error);
}

int32_t event_wait(tl_device* device, tl_stream* given, tl_event* event, tl_error* error) noexcept {
  const OnDevice here(device);
  tl_stream& stream = device->stream(given);
  if (int32_t status = stream.check(error)) return status;
  return check_call(cudaStreamWaitEvent(stream.queue(), event->mark, 0), "event_wait", error);
}

int32_t event_poll(tl_device* device, tl_event* event, tl_error* error) noexcept {
  const OnDevice here(device);
  const cudaError_t result = cudaEventQuery(event->mark);
  if (result == cudaErrorNotReady) {
    cudaGetLastError();
    return plugins::fail(TL_NOT_READY, error, "not reached yet");
  }
  return check_call(result, "event_poll", error);
}

}  // namespace cuda_backend
