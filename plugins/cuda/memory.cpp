#include "memory.h"

#include <new>

#include "common/check_common.h"
#include "common/errors.h"
#include "device.h"
#include "status.h"

namespace cuda_backend {
namespace {

using plugins::fail;

/// Bytes first … last - 1 from base + byte_offset of a block.
int32_t check_reach(const tl_device* device, const tl_block* block, const void* base,
                    uint64_t byte_offset, int64_t first, int64_t last, tl_error* error) noexcept {
  if (!block) return fail(TL_E_ARGUMENT, error, "host memory where memory of the device is due");
  if (block->device != device) return fail(TL_E_ARGUMENT, error, "memory of another device");
  const int64_t begin =
      static_cast<const char*>(base) - block->address + static_cast<int64_t>(byte_offset);
  if (begin + first >= 0 && begin + last <= static_cast<int64_t>(block->bytes)) return TL_OK;
  return fail(TL_E_ARGUMENT, error, "a view reaches outside of its block of %llu bytes",
              static_cast<unsigned long long>(block->bytes));
}

int32_t check_view(const tl_device* device, const tl_view& view, tl_error* error) noexcept {
  const int64_t item = view.dtype.bits / 8;
  int64_t low = 0, high = 0;
  for (uint32_t d = 0; d < view.rank; ++d) {
    const int64_t reach = (view.extent[d] - 1) * view.stride[d];
    (reach < 0 ? low : high) += reach;
  }
  return check_reach(device, view.block, view.base, view.byte_offset, low * item, (high + 1) * item,
                     error);
}

}  // namespace

int32_t check_memory(const tl_device* device, std::initializer_list<const tl_view*> views,
                     tl_error* error) noexcept {
  for (const tl_view* view : views)
    if (view && !is_empty(*view))
      if (int32_t status = check_view(device, *view, error)) return status;
  return TL_OK;
}

int32_t allocate(tl_device* device, tl_stream* stream, uint64_t bytes, tl_memory* memory,
                 tl_error* error) noexcept {
  const OnDevice here(device);
  tl_block* const block = new (std::nothrow) tl_block{device, nullptr, bytes};
  if (!block) return fail(TL_E_MEMORY, error, "no memory for a block");
  void* address = nullptr;
  const cudaError_t result =
      cudaMallocAsync(&address, bytes ? bytes : 1, device->stream(stream).queue());
  if (int32_t status = check_call(result, "allocate", error)) {
    delete block;
    return status;
  }
  block->address = static_cast<char*>(address);
  *memory = {address, block, 0};
  return TL_OK;
}

int32_t release(tl_device* device, tl_stream* stream, const tl_memory* memory,
                tl_error* error) noexcept {
  const OnDevice here(device);
  tl_block* const block = memory->block;
  if (!block || block->device != device)
    return fail(TL_E_ARGUMENT, error, "release of memory that isn't this device's");
  const cudaError_t result = cudaFreeAsync(block->address, device->stream(stream).queue());
  delete block;
  return check_call(result, "release", error);
}

int32_t copy(tl_device* device, tl_stream* given, const tl_copy_args* args, tl_error* error) noexcept {
  if (args->size < TL_COPY_ARGS_SIZE_0)
    return fail(TL_E_ARGUMENT, error, "copy arguments of %u bytes", args->size);
  if (args->bytes == 0) return TL_OK;
  const OnDevice here(device);
  tl_stream& stream = device->stream(given);
  if (int32_t status = stream.check(error)) return status;
  const auto bytes = static_cast<int64_t>(args->bytes);
  for (const tl_memory* side : {&args->source, &args->destination})
    if (side->block)
      if (int32_t status =
              check_reach(device, side->block, side->base, side->byte_offset, 0, bytes, error))
        return status;
  const bool from_device = args->source.block, to_device = args->destination.block;
  const cudaMemcpyKind kind = from_device
                                  ? (to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
                                  : (to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
  const cudaError_t result =
      cudaMemcpyAsync(static_cast<char*>(args->destination.base) + args->destination.byte_offset,
                      static_cast<const char*>(args->source.base) + args->source.byte_offset,
                      args->bytes, kind, stream.queue());
  return stream.enqueued(result, "copy", error);
}

}  // namespace cuda_backend
