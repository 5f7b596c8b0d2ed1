#include "parallel.h"

namespace cpu_simd {
namespace {

const tl_host_parallel* host_pool = nullptr;

}  // namespace

void use_pool(const tl_host_parallel* pool) noexcept {
  host_pool = pool && pool->size >= TL_HOST_PARALLEL_SIZE_0 ? pool : nullptr;
}

uint32_t concurrency() noexcept { return host_pool ? host_pool->concurrency() : 1; }

void run_parallel(uint64_t count, void (*body)(void* context, uint64_t index) noexcept,
                  void* context) noexcept {
  if (host_pool && count > 1) return host_pool->run(count, body, context);
  for (uint64_t i = 0; i < count; ++i) body(context, i);
}

}  // namespace cpu_simd
