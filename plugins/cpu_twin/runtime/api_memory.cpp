// Memory functions of the CUDA runtime. Device memory is the host's, so a copy is a copy.
#include <unistd.h>

#include <cstring>
#include <exception>

#include "engine/ir.h"
#include "error.h"
#include "runtime/memory.h"
#include "runtime/process.h"

namespace {

using twin::Memory;
using twin::MemoryKind;
using twin::Process;

cudaError_t done(cudaError_t error) { return Process::get().set(error); }

cudaError_t allocate(void** pointer, size_t bytes, MemoryKind kind) {
  if (!pointer) return done(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (const cudaError_t lasting = Process::get().lasting()) return lasting;
  if (bytes == 0) return cudaSuccess;
  *pointer = Memory::of_process().allocate(bytes, kind);
  return done(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

/// An error of the host's, in words where every access is looked at: the number alone says little.
cudaError_t blame(cudaError_t error, const std::string& text) {
  if (Process::get().manner().checker) Process::get().on_report_or_print(text);
  return done(error);
}

cudaError_t release(void* pointer) {
  if (!pointer || Memory::of_process().release(pointer)) return cudaSuccess;
  const std::string what = Memory::of_process().describe(reinterpret_cast<uint64_t>(pointer));
  return blame(cudaErrorInvalidValue, "cudaFree: not the beginning of living memory, but " + what);
}

/// Whether a device's side of a copy lies inside one allocation.
bool is_inside(const char* function, const void* pointer, size_t bytes) {
  if (bytes == 0) return true;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const twin::Allocation* found = Memory::of_process().find(address);
  const bool whole = found && address + bytes <= reinterpret_cast<uint64_t>(found->base) + found->bytes;
  if (whole && !found->freed) return true;
  blame(cudaErrorInvalidValue,
        twin::cat(function, ": ", bytes, " bytes ", whole ? "of freed memory" : "out of bounds",
                  ", from ", Memory::of_process().describe(address), " on"));
  return false;
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t lasting = Process::get().lasting()) return lasting;
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return done(cudaErrorInvalidValue);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return done(cudaErrorInvalidMemcpyDirection);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((to_device && !is_inside("cudaMemcpy", to, bytes)) ||
      (from_device && !is_inside("cudaMemcpy", from, bytes)))
    return done(cudaErrorInvalidValue);
  const Memory::Visible visible;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t fill(void* pointer, int byte, size_t bytes) {
  if (const cudaError_t lasting = Process::get().lasting()) return lasting;
  if (!is_inside("cudaMemset", pointer, bytes)) return done(cudaErrorInvalidValue);
  const Memory::Visible visible;
  if (bytes) std::memset(pointer, byte, bytes);
  return cudaSuccess;
}

cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return done(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row)
    if (const cudaError_t error = copy(static_cast<char*>(to) + row * to_pitch,
                                       static_cast<const char*>(from) + row * from_pitch, width, kind))
      return error;
  return cudaSuccess;
}

/// The memory of a device variable.
cudaError_t find_symbol(const void* symbol, char** memory, uint64_t* size) {
  *memory = nullptr;
  if (const cudaError_t lasting = Process::get().lasting()) return lasting;
  try {
    *memory = static_cast<char*>(Process::get().symbol(symbol, size));
  } catch (const std::exception& problem) {
    return Process::get().fail_for_good(cudaErrorInvalidPtx, problem.what());
  }
  return done(*memory ? cudaSuccess : cudaErrorInvalidSymbol);
}

/// `bytes` of it from `offset` on.
cudaError_t find_part(const void* symbol, size_t offset, size_t bytes, char** memory) {
  uint64_t size = 0;
  if (const cudaError_t error = find_symbol(symbol, memory, &size)) return error;
  if (offset > size || bytes > size - offset) return done(cudaErrorInvalidValue);
  *memory += offset;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::device);
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
  return allocate(pointer, bytes, MemoryKind::device);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::pinned);
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, MemoryKind::pinned);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, MemoryKind::managed);
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return done(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  if (height && *pitch > SIZE_MAX / height) return done(cudaErrorMemoryAllocation);
  return allocate(pointer, *pitch * height, MemoryKind::device);
}
cudaError_t cudaFree(void* pointer) { return release(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return release(pointer); }

// Memory of the user's own counts as the device's from here on.
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  if (!pointer || !bytes) return done(cudaErrorInvalidValue);
  Memory::of_process().add_variable(pointer, bytes, "registered host memory");
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* pointer) {
  Memory::of_process().remove_variable(pointer);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  if (!device || !host) return done(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (!free_bytes || !total_bytes) return done(cudaErrorInvalidValue);
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  *total_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
  *free_bytes = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return done(cudaErrorInvalidValue);
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = cudaInvalidDeviceId;
  attributes->hostPointer = const_cast<void*>(pointer);
  const twin::Allocation* found = Memory::of_process().find(reinterpret_cast<uint64_t>(pointer));
  if (!found || found->freed) return cudaSuccess;
  attributes->device = 0;
  attributes->devicePointer = const_cast<void*>(pointer);
  attributes->type = found->kind == MemoryKind::pinned    ? cudaMemoryTypeHost
                     : found->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                          : cudaMemoryTypeDevice;
  if (attributes->type == cudaMemoryTypeDevice) attributes->hostPointer = nullptr;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t) {
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset(void* pointer, int byte, size_t bytes) { return fill(pointer, byte, bytes); }
cudaError_t cudaMemsetAsync(void* pointer, int byte, size_t bytes, cudaStream_t) {
  return fill(pointer, byte, bytes);
}
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int byte, size_t width, size_t height) {
  if (width > pitch) return done(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row)
    if (const cudaError_t error = fill(static_cast<char*>(pointer) + row * pitch, byte, width))
      return error;
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind) {
  char* memory = nullptr;
  if (const cudaError_t error = find_part(symbol, offset, bytes, &memory)) return error;
  if (bytes == 0) return cudaSuccess;
  if (!from) return done(cudaErrorInvalidValue);
  std::memcpy(memory, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind) {
  char* memory = nullptr;
  if (const cudaError_t error = find_part(symbol, offset, bytes, &memory)) return error;
  if (bytes == 0) return cudaSuccess;
  if (!to) return done(cudaErrorInvalidValue);
  std::memcpy(to, memory, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  if (!pointer) return done(cudaErrorInvalidValue);
  char* memory = nullptr;
  uint64_t size = 0;
  const cudaError_t error = find_symbol(symbol, &memory, &size);
  *pointer = memory;
  return error;
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  uint64_t size = 0;
  char* memory = nullptr;
  if (!bytes) return done(cudaErrorInvalidValue);
  const cudaError_t error = find_symbol(symbol, &memory, &size);
  if (!error) *bytes = size;
  return error;
}

}  // extern "C"
