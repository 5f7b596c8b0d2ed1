#pragma once

#include <torchlight/ext/host_parallel.h>

/// The host's thread pool, as the kernels use it. The templates are forced inline, so that nothing
/// compiled with one instruction set's flags can be picked by the linker for everyone.
namespace cpu_simd {

/// NULL or too short a table: everything runs in the calling thread.
void use_pool(const tl_host_parallel* pool) noexcept;

uint32_t concurrency() noexcept;
void run_parallel(uint64_t count, void (*body)(void* context, uint64_t index) noexcept,
                  void* context) noexcept;

/// f(0) … f(count - 1) on any threads, in any order. One of them is called in the same way, or each f would be
/// compiled twice.
template <class F> [[gnu::always_inline]] inline void parallel_for(int64_t count, const F& f) noexcept {
  run_parallel(
      static_cast<uint64_t>(count),
      [](void* context, uint64_t i) noexcept {
        (*static_cast<const F*>(context))(static_cast<int64_t>(i));
      },
      const_cast<F*>(&f));
}

/// f(begin, end) over 0 … total in pieces of `grain` (the last one may be shorter). The cuts depend on
/// `total` and `grain` alone: the number of threads changes no result.
template <class F>
[[gnu::always_inline]] inline void parallel_ranges(int64_t total, int64_t grain, const F& f) noexcept {
  const int64_t count = (total + grain - 1) / grain;
  const auto piece = [&](int64_t i) noexcept {
    f(i * grain, total - i * grain < grain ? total : (i + 1) * grain);
  };
  if (count > 0) parallel_for(count, piece);
}

}  // namespace cpu_simd
