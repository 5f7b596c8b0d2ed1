// Registration of programs, launches and what is asked about kernels.
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "engine/ir.h"
#include "error.h"
#include "runtime/memory.h"
#include "runtime/process.h"
#include "twin/registration.h"

namespace {

using twin::Dim;
using twin::KernelHandle;
using twin::Process;

cudaError_t done(cudaError_t error) { return Process::get().set(error); }

struct Pushed {
  unsigned grid[3], block[3];
  size_t shared;
  cudaStream_t stream;
};
/// What launches pushed that wait for their kernel's stub: arguments of one may launch another.
struct Stack {
  static constexpr size_t most = 16;
  Pushed items[most];
  size_t count;
};
TWIN_THREAD_LOCAL Stack pushed;

/// What clang's wrapper points to: the bytes of the file that the object was compiled with.
struct Binary {
  int magic, version;
  const char* data;
  void* unused;
};

/// The handle of a program's registration holds its PTX.
Process::Text* text_of(void** handle) { return reinterpret_cast<Process::Text*>(handle); }

/// Finds the kernel, or says why not.
cudaError_t find(const void* handle, KernelHandle** found) {
  try {
    *found = Process::get().kernel(handle);
  } catch (const std::bad_alloc&) {
    return done(cudaErrorMemoryAllocation);
  } catch (const std::exception& problem) {
    return Process::get().fail_for_good(cudaErrorInvalidPtx, problem.what());
  }
  return *found ? cudaSuccess : done(cudaErrorInvalidDeviceFunction);
}

/// Says why a launch is refused; CUDA gives only a number.
cudaError_t refuse(cudaError_t error, const KernelHandle& kernel, const std::string& why) {
  const std::string text = twin::cat("launch of ", kernel.kernel->shown, ": ", why);
  Process::get().on_report_or_print(text);
  return done(error);
}

cudaError_t check_launch(const KernelHandle& kernel, dim3 grid, dim3 block, size_t shared) {
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0)
    return refuse(cudaErrorInvalidConfiguration, kernel, "an empty grid or block");
  if (threads > twin::max_block_threads || block.z > 64)
    return refuse(cudaErrorInvalidConfiguration, kernel,
                  twin::cat("a block of ", block.x, " x ", block.y, " x ", block.z,
                            " threads; the most are 1024, 64 of them in z"));
  if (grid.x > 2147483647U || grid.y > 65535 || grid.z > 65535)
    return refuse(cudaErrorInvalidConfiguration, kernel,
                  twin::cat("a grid of ", grid.x, " x ", grid.y, " x ", grid.z,
                            " blocks; the most are 2147483647 x 65535 x 65535"));
  if (kernel.kernel->max_threads && threads > kernel.kernel->max_threads)
    return refuse(cudaErrorInvalidConfiguration, kernel,
                  twin::cat("a block of ", threads, " threads, and its __launch_bounds__ says at most ",
                            kernel.kernel->max_threads));
  if (kernel.kernel->shared_bytes > twin::max_shared_bytes)
    return refuse(cudaErrorInvalidConfiguration, kernel,
                  twin::cat(kernel.kernel->shared_bytes,
                            " bytes of static shared memory; the most are ", twin::max_shared_bytes));
  if (static_cast<uint64_t>(kernel.kernel->shared_bytes) + shared > kernel.dynamic_shared_limit)
    return refuse(
        cudaErrorInvalidValue, kernel,
        twin::cat(kernel.kernel->shared_bytes + static_cast<int64_t>(shared),
                  " bytes of shared memory; ", kernel.dynamic_shared_limit, " are allowed, and up to ",
                  twin::max_shared_optin_bytes,
                  " by cudaFuncSetAttribute(…, cudaFuncAttributeMaxDynamicSharedMemorySize, …)"));
  return cudaSuccess;
}

/// The error that a program on a GPU would get.
cudaError_t error_of(twin::Trouble::Kind kind) {
  switch (kind) {
    case twin::Trouble::Kind::none: return cudaSuccess;
    case twin::Trouble::Kind::assertion: return cudaErrorAssert;
    case twin::Trouble::Kind::alignment: return cudaErrorMisalignedAddress;
    case twin::Trouble::Kind::address: return cudaErrorIllegalAddress;
    case twin::Trouble::Kind::endless: return cudaErrorLaunchTimeout;
    default: return cudaErrorLaunchFailure;
  }
}

cudaError_t launch(const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared,
                   bool cooperative) {
  Process& process = Process::get();
  if (const cudaError_t lasting = process.lasting()) return lasting;
  KernelHandle* kernel = nullptr;
  if (const cudaError_t error = find(handle, &kernel)) return error;
  if (const cudaError_t error = check_launch(*kernel, grid, block, shared)) return error;
  const twin::LoadedKernel& loaded = *kernel->kernel;
  alignas(64) char buffer[4096 + 512] = {};
  if (loaded.parameter_bytes > sizeof buffer - 512)
    return refuse(cudaErrorInvalidValue, *kernel, "parameters of more than 4096 bytes");
  for (size_t k = 0; k < loaded.parameter_offsets.size(); ++k)
    std::memcpy(buffer + loaded.parameter_offsets[k], arguments[k], loaded.parameter_sizes[k]);
  try {
    const auto alone = process.alone();
    if (process.manner().checker) {
      process.manner().checker->use(kernel->module, loaded.index);
      process.manner().checker->begin_launch(!cooperative);
    }
    const twin::Launch how{{grid.x, grid.y, grid.z},
                           {block.x, block.y, block.z},
                           static_cast<uint32_t>(shared),
                           buffer,
                           cooperative};
    const twin::Memory::Visible visible;
    const twin::Report report = twin::run_launch(*kernel->module, loaded, how, process.manner());
    if (report.trouble.kind == twin::Trouble::Kind::none) return cudaSuccess;
    // As on a GPU, the launch itself succeeds; the error is met by whoever waits for it, and stays.
    process.fail_for_good(error_of(report.trouble.kind), text_of(report));
    return cudaSuccess;
  } catch (const std::bad_alloc&) {
    return done(cudaErrorMemoryAllocation);
  } catch (const std::exception& problem) {
    return process.fail_for_good(cudaErrorInvalidPtx, problem.what());
  }
}

}  // namespace

extern "C" {

void** twin___cudaRegisterFatBinary(void* binary) {
  const char* data = static_cast<const Binary*>(binary)->data;
  return reinterpret_cast<void**>(new Process::Text(std::make_shared<const std::string>(data)));
}
void twin___cudaRegisterFatBinaryEnd(void**) {}
void twin___cudaUnregisterFatBinary(void** handle) { delete text_of(handle); }
int twin___cudaRegisterFunction(void** handle, const char* host_stub, char*, const char* device_name,
                                int, uint3*, uint3*, dim3*, dim3*, int*) {
  Process::get().add_stub(host_stub, *text_of(handle), device_name);
  return 0;
}
void twin___cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int,
                            size_t, int, int) {
  Process::get().add_symbol(host_variable, *text_of(handle), device_name);
}
void twin___cudaRegisterManagedVariable(void** handle, char* host_variable, const char* device_name,
                                        size_t bytes) {
  // Both sides use the program's own memory, which holds zeros until here.
  try {
    const twin::ptx::Module text = twin::ptx::parse(**text_of(handle));
    const twin::ptx::Variable* variable = text.variable(device_name);
    if (variable && !variable->initial.empty())
      std::memcpy(host_variable, variable->initial.data(),
                  std::min<size_t>(bytes, variable->initial.size()));
  } catch (const std::exception& problem) {
    Process::get().fail_for_good(cudaErrorInvalidPtx, problem.what());
  }
  Process::get().add_managed(*text_of(handle), device_name, host_variable, bytes);
}
unsigned int twin___cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                              cudaStream_t stream) {
  if (pushed.count == Stack::most) return 1;
  pushed.items[pushed.count++] = {
      {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream};
  return 0;
}
cudaError_t twin___cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                            void* stream) {
  if (pushed.count == 0) return cudaErrorMissingConfiguration;
  const Pushed& last = pushed.items[--pushed.count];
  *grid = dim3(last.grid[0], last.grid[1], last.grid[2]);
  *block = dim3(last.block[0], last.block[1], last.block[2]);
  *shared_bytes = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t) {
  return launch(kernel, grid, block, arguments, shared_bytes, false);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t) {
  // All blocks are there at once, as on a device that has room for them.
  if (uint64_t{grid.x} * grid.y * grid.z > 1024) return done(cudaErrorCooperativeLaunchTooLarge);
  return launch(kernel, grid, block, arguments, shared_bytes, true);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* handle) {
  KernelHandle* kernel = nullptr;
  if (!attributes) return done(cudaErrorInvalidValue);
  if (const cudaError_t error = find(handle, &kernel)) return error;
  *attributes = {};
  attributes->sharedSizeBytes = static_cast<size_t>(kernel->kernel->shared_bytes);
  attributes->maxThreadsPerBlock = static_cast<int>(
      kernel->kernel->max_threads ? kernel->kernel->max_threads : twin::max_block_threads);
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 75;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(
      kernel->dynamic_shared_limit - static_cast<uint32_t>(kernel->kernel->shared_bytes));
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* handle, enum cudaFuncAttribute which, int value) {
  KernelHandle* kernel = nullptr;
  if (const cudaError_t error = find(handle, &kernel)) return error;
  if (which != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const int64_t all = kernel->kernel->shared_bytes + int64_t{value};
  if (value < 0 || all > int64_t{twin::max_shared_optin_bytes}) return done(cudaErrorInvalidValue);
  kernel->dynamic_shared_limit = std::max(twin::max_shared_bytes, static_cast<uint32_t>(all));
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void*, enum cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* handle,
                                                          int block_size, size_t dynamic_shared_bytes) {
  KernelHandle* kernel = nullptr;
  if (!blocks) return done(cudaErrorInvalidValue);
  if (const cudaError_t error = find(handle, &kernel)) return error;
  const uint64_t shared = static_cast<uint64_t>(kernel->kernel->shared_bytes) + dynamic_shared_bytes;
  const bool fits = block_size > 0 && block_size <= static_cast<int>(twin::max_block_threads) &&
                    shared <= twin::max_shared_optin_bytes;
  // As far as threads, blocks and shared memory decide it; registers aren't known here.
  uint64_t most =
      fits ? std::min<uint64_t>(32, 2048U / (static_cast<unsigned>(block_size + 31) / 32 * 32)) : 0;
  if (fits && shared) most = std::min<uint64_t>(most, twin::max_shared_optin_bytes / shared);
  *blocks = static_cast<int>(most);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle,
                                                                   int block_size,
                                                                   size_t dynamic_shared_bytes,
                                                                   unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, block_size,
                                                       dynamic_shared_bytes);
}

}  // extern "C"
