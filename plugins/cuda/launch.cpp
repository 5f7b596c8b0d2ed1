#include "launch.h"

#include <algorithm>

#include "common/check_common.h"

namespace cuda_backend {

namespace {

/// By type_index.
constexpr const char* names[types] = {"f32", "f64", "i64", "b8", "i32", "u8", "f16", "bf16"};

}  // namespace

int type_index(tl_dtype dtype) noexcept {
  switch (plugins::dtype_key(dtype)) {
    case plugins::key_float32: return 0;
    case plugins::key_float64: return 1;
    case plugins::key_int64: return 2;
    case plugins::key_bool: return 3;
    case plugins::key_int32: return 4;
    case plugins::key_uint8: return 5;
    case plugins::key_float16: return 6;
    default: return 7;
  }
}

const char* type_name(tl_dtype dtype) noexcept { return names[type_index(dtype)]; }

Shape shape_of(const tl_device& device, int64_t count, int64_t each) noexcept {
  const int64_t of_block = 256 * each, most = int64_t{32} * device.multiprocessors;
  const int64_t blocks = count / of_block + (count % of_block != 0);
  return {std::min(blocks, most)};
}

int32_t Call::enqueue(const void* kernel, const Shape& shape, void* arguments) noexcept {
  if (int32_t status = stream_.check(error_)) return status;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(shape.blocks, 0x7fffffff));
  const dim3 grid(blocks, static_cast<unsigned>(shape.groups)), block(shape.width, shape.height);
  void* list[] = {arguments};
  return stream_.enqueued(cudaLaunchKernel(kernel, grid, block, list, 0, stream_.queue()), operation_,
                          error_);
}

}  // namespace cuda_backend
