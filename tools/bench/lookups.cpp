#include <torchlight/torchlight.h>

#include "bench.h"

namespace bench {
namespace {

namespace tl = torchlight;

/// Forward, backward and a step of SGD of 100 lookups of 16 rows.
std::function<void(long)> step(std::int64_t rows, bool reads_gradient) {
  const tl::Tensor table = tl::zeros({rows, 64}, {.requires_grad = true});
  std::vector<tl::Tensor> lists;
  for (int i = 0; i < 100; ++i) lists.push_back(tl::randint(0, rows, {16}));
  auto optimizer =
      std::make_shared<tl::optim::SGD>(std::vector{table}, tl::optim::SGDOptions{.lr = 0.1});
  return repeat([=] {
    optimizer->zero_grad();
    std::vector<tl::Tensor> found;
    for (const tl::Tensor& list : lists) found.push_back(table.index_select(0, list));
    (tl::cat(found) + 1.0).square().sum().backward();
    if (reads_gradient) use(table.grad());
    optimizer->step();
  });
}

}  // namespace

Rows lookups() {
  const std::string what = "100 lookups in a table of ", first = what + "1e3";
  return {
      {first, step(1'000, false)},
      {what + "1e5", step(100'000, false), 0, "ns", first},
      {what + "1e6", step(1'000'000, false), 0, "ns", first},
      {what + "1e6, grad() read", step(1'000'000, true), 0, "ns", first},
  };
}

}  // namespace bench
