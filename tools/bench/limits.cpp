#include <torchlight/threads.h>

#include <cstring>
#include <memory>

#include "bench.h"
#include "machine_limits.h"
#include "support/host_memory.h"
#include "support/thread_pool.h"

namespace bench {
namespace {

using machine::kernels;

using Buffer = std::shared_ptr<float[]>;

// From the allocator of the library: what is compared has pages of the same kind.
Buffer buffer(long n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  auto* memory = static_cast<float*>(torchlight::host_memory::allocate(bytes));
  for (long i = 0; i < n; ++i) memory[i] = 1;
  return {memory, [bytes](float* p) { torchlight::host_memory::release(p, bytes); }};
}

// Each thread does its part.
void in_parts(long n, const auto& part) {
  const int threads = torchlight::num_threads();
  const long each = (n / threads + 63) / 64 * 64;
  torchlight::pool::parallel(static_cast<std::uint64_t>(threads), [&](std::uint64_t t) noexcept {
    const long begin = std::min(n, static_cast<long>(t) * each);
    part(begin, std::min(n, begin + each) - begin);
  });
}

void add_bandwidth(Rows& rows, const std::string& place, long n) {
  const Buffer a = buffer(n), b = buffer(n), out = buffer(n);
  const double bytes = 4.0 * static_cast<double>(n);
  rows.push_back({"read " + place, repeat([=] {
                    in_parts(n, [&](long at, long count) { kernels().read(a.get() + at, count); });
                  }),
                  bytes, "GB/s"});
  rows.push_back(
      {"copy " + place, repeat([=] {
         in_parts(n, [&](long at, long count) { kernels().copy(out.get() + at, a.get() + at, count); });
       }),
       2 * bytes, "GB/s"});
  rows.push_back({"triad " + place, repeat([=] {
                    in_parts(n, [&](long at, long count) {
                      kernels().triad(out.get() + at, a.get() + at, b.get() + at, count);
                    });
                  }),
                  3 * bytes, "GB/s"});
}

}  // namespace

Rows limits() {
  constexpr long steps = 4096;
  const double operations = kernels().operations * steps * torchlight::num_threads();
  Rows rows{{"fma", repeat([] {
               torchlight::pool::parallel(static_cast<std::uint64_t>(torchlight::num_threads()),
                                          [](std::uint64_t) noexcept { kernels().fma(steps); });
             }),
             operations, "GFLOP/s"}};
  add_bandwidth(rows, "3 x 256 KB", 64 << 10);
  add_bandwidth(rows, "3 x 4 MB", 1000000 / 64 * 64);
  add_bandwidth(rows, "3 x 128 MB", 32 << 20);
  return rows;
}

}  // namespace bench
