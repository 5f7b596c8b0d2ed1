#include <torchlight/torchlight.h>

#include "bench.h"

namespace bench {

namespace tl = torchlight;

Rows elementwise() {
  constexpr std::int64_t n = 1000000;
  constexpr double bytes = 4.0 * n;
  const tl::Tensor a = tl::randn({n}), b = tl::randn({n});
  Rows rows{
      {"add of 1e6", repeat([=] { use(add(a, b)); }), 3 * bytes, "GB/s", "triad 3 x 4 MB", 0.85},
      {"sum of 1e6", repeat([=] { use(a.sum()); }), bytes, "GB/s", "read 3 x 4 MB"},
      {"exp of 1e6", repeat([=] { use(a.exp()); }), 2 * bytes, "GB/s", "copy 3 x 4 MB"},
      {"tanh of 1e6", repeat([=] { use(a.tanh()); }), 2 * bytes, "GB/s", "copy 3 x 4 MB"},
      {"sigmoid of 1e6", repeat([=] { use(a.sigmoid()); }), 2 * bytes, "GB/s", "copy 3 x 4 MB"},
  };
  return rows;
}

Rows matmul() {
  Rows rows;
  for (const std::int64_t n : {64, 128, 512, 1024}) {
    const tl::Tensor a = tl::randn({n, n}), b = tl::randn({n, n});
    const double size = static_cast<double>(n);
    rows.push_back({"matmul of " + std::to_string(n) + " x " + std::to_string(n),
                    repeat([=] { use(tl::matmul(a, b)); }), 2 * size * size * size, "GFLOP/s", "fma",
                    n == 512 ? 0.5 : 0});
  }
  return rows;
}

}  // namespace bench
