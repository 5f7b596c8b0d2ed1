// The device that the twin stands for, streams, events and errors. Work is done before a call returns, so streams are
// always idle and events happen at once.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

#include "runtime/process.h"

struct CUstream_st {};
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
};

namespace {

using twin::Process;

cudaError_t done(cudaError_t error) { return Process::get().set(error); }
cudaError_t idle() { return Process::get().lasting(); }

size_t memory_bytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}
int processors() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// Attributes by number; the properties are filled from them, so that both say the same.
int attribute(cudaDeviceAttr which) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return static_cast<int>(twin::max_block_threads);
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(twin::max_shared_bytes);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(twin::max_shared_optin_bytes);
    case cudaDevAttrTotalConstantMemory: return 65536;
    case cudaDevAttrWarpSize: return twin::lanes;
    case cudaDevAttrMaxPitch: return 2147483647;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate: return 1000000;
    case cudaDevAttrTextureAlignment: return 512;
    case cudaDevAttrMultiProcessorCount: return processors();
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return 32;
    case cudaDevAttrGlobalMemoryBusWidth: return 64;
    case cudaDevAttrL2CacheSize: return 1 << 20;
    case cudaDevAttrComputeCapabilityMajor: return 7;
    case cudaDevAttrComputeCapabilityMinor: return 5;
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported: return 1;
    default: return 0;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return done(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  if (!device) return done(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return done(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr which, int device) {
  if (!value) return done(cudaErrorInvalidValue);
  if (device != 0) return done(cudaErrorInvalidDevice);
  *value = attribute(which);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int device) {
  if (!p) return done(cudaErrorInvalidValue);
  if (device != 0) return done(cudaErrorInvalidDevice);
  *p = {};
  std::strcpy(p->name, "Torchlight CPU twin");
  p->totalGlobalMem = memory_bytes();
  p->sharedMemPerBlock = twin::max_shared_bytes;
  p->sharedMemPerBlockOptin = p->sharedMemPerMultiprocessor = twin::max_shared_optin_bytes;
  p->regsPerBlock = p->regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerBlock);
  p->warpSize = twin::lanes;
  p->memPitch = static_cast<size_t>(attribute(cudaDevAttrMaxPitch));
  p->maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsPerBlock;
  p->maxThreadsDim[2] = attribute(cudaDevAttrMaxBlockDimZ);
  p->maxGridSize[0] = attribute(cudaDevAttrMaxGridDimX);
  p->maxGridSize[1] = p->maxGridSize[2] = attribute(cudaDevAttrMaxGridDimY);
  p->clockRate = attribute(cudaDevAttrClockRate);
  p->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  p->totalConstMem = static_cast<size_t>(attribute(cudaDevAttrTotalConstantMemory));
  p->major = attribute(cudaDevAttrComputeCapabilityMajor);
  p->minor = attribute(cudaDevAttrComputeCapabilityMinor);
  p->textureAlignment = p->texturePitchAlignment = 512;
  p->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  p->maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  p->maxBlocksPerMultiProcessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  p->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p->l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  p->integrated = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory =
      1;
  p->concurrentManagedAccess = p->hostNativeAtomicSupported = p->canUseHostPointerForRegisteredMem = 1;
  p->memoryPoolsSupported = p->hostRegisterSupported = p->cooperativeLaunch = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) { return idle(); }
cudaError_t cudaDeviceReset(void) {
  Process::get().reset();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit) {
  if (!value) return done(cudaErrorInvalidValue);
  *value = 1 << 23;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  if (!can) return done(cudaErrorInvalidValue);
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  if (!version) return done(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  if (!stream) return done(cudaErrorInvalidValue);
  *stream = new (std::nothrow) CUstream_st;
  return done(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return done(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return idle(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return idle(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned int) {
  return event ? idle() : done(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  if (!event) return done(cudaErrorInvalidValue);
  *event = new (std::nothrow) CUevent_st;
  return done(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (!event) return done(cudaErrorInvalidResourceHandle);
  event->at = std::chrono::steady_clock::now();
  event->recorded = true;
  return idle();
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event ? idle() : done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return event ? idle() : done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (!milliseconds) return done(cudaErrorInvalidValue);
  if (!start || !stop || !start->recorded || !stop->recorded)
    return done(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->at - start->at).count();
  return idle();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return done(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaGetLastError(void) { return Process::get().last(true); }
cudaError_t cudaPeekAtLastError(void) { return Process::get().last(false); }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define TWIN_NAME(name, number) \
  case name: return #name;
    TWIN_CUDA_ERRORS(TWIN_NAME)
#undef TWIN_NAME
  }
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "an argument is not valid";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "the grid or block of a launch is not possible";
    case cudaErrorInvalidDeviceFunction: return "there is no such kernel";
    case cudaErrorInvalidDevice: return "there is no such device";
    case cudaErrorInvalidPtx: return "a kernel can't be compiled";
    case cudaErrorIllegalAddress: return "a kernel accessed memory that it must not";
    case cudaErrorLaunchOutOfResources: return "a launch asks for more than a block can have";
    case cudaErrorLaunchTimeout: return "a kernel ran longer than it may";
    case cudaErrorAssert: return "an assertion in a kernel failed";
    case cudaErrorMisalignedAddress: return "a kernel accessed a misaligned address";
    case cudaErrorIllegalInstruction: return "a kernel did what is not possible";
    case cudaErrorLaunchFailure: return "a kernel failed";
    default: return cudaGetErrorName(error);
  }
}

}  // extern "C"
