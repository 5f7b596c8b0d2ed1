#include "device.h"

#include <cstdio>
#include <new>

#include "common/check_common.h"
#include "common/errors.h"
#include "device_setup.h"
#include "status.h"

namespace cuda_backend {
namespace {

using plugins::fail;

int32_t check_index(uint32_t index, tl_error* error) noexcept {
  uint32_t count = 0;
  if (int32_t status = device_count(&count, error)) return status;
  if (index < count) return TL_OK;
  return fail(TL_E_ARGUMENT, error, "there is no device %u, there are %u", index, count);
}

}  // namespace

int32_t device_count(uint32_t* count, tl_error* error) noexcept {
  int found = 0;
  const cudaError_t result = cudaGetDeviceCount(&found);
  // No driver is no fault of this plug-in: it has no devices then.
  if (result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    found = 0;
  } else if (int32_t status = check_call(result, "counting devices", error)) {
    return status;
  }
  *count = static_cast<uint32_t>(found);
  return TL_OK;
}

int32_t device_info(uint32_t index, tl_device_info* info, tl_error* error) noexcept {
  if (int32_t status = check_index(index, error)) return status;
  cudaDeviceProp properties;
  const int ordinal = static_cast<int>(index);
  if (int32_t status = check_call(cudaGetDeviceProperties(&properties, ordinal), "device_info", error))
    return status;
  tl_device_info full{};
  full.memory_space = TL_SPACE_DEVICE;
  full.memory_bytes = properties.totalGlobalMem;
  full.alignment = 256;
  std::snprintf(full.description, sizeof full.description, "%.90s, compute capability %d.%d",
                properties.name, properties.major, properties.minor);
  std::snprintf(full.instruction_set, sizeof full.instruction_set, "sm_%d%d", properties.major,
                properties.minor);
  plugins::fill_answer(*info, full);
  return TL_OK;
}

int32_t open_device(uint32_t index, tl_device** device, tl_error* error) noexcept {
  if (int32_t status = check_index(index, error)) return status;
  const int ordinal = static_cast<int>(index);
  const OnDevice here(ordinal);
  tl_device* const opened = new (std::nothrow) tl_device{ordinal, 0, {}};
  if (!opened) return fail(TL_E_MEMORY, error, "no memory for a device");
  int32_t status = check_call(
      cudaDeviceGetAttribute(&opened->multiprocessors, cudaDevAttrMultiProcessorCount, ordinal), "open",
      error);
  if (status == TL_OK) status = opened->default_stream.open(error);
  if (status != TL_OK) {
    delete opened;
    return status;
  }
  set_up_device(ordinal);
  *device = opened;
  return TL_OK;
}

void close_device(tl_device* device) noexcept {
  const OnDevice here(device);
  device->default_stream.close(nullptr);
  delete device;
}

}  // namespace cuda_backend
