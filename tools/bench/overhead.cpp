#include <torchlight/torchlight.h>

#include "bench.h"

namespace bench {

namespace tl = torchlight;

Rows overhead() {
  Rows rows;
  for (const int n : {1, 16}) {
    const std::string size = " of " + std::to_string(n);
    const tl::Tensor a = tl::rand({n}), b = tl::rand({n});
    tl::Tensor x = tl::rand({n}).requires_grad_(), y = tl::rand({n}).requires_grad_();
    const tl::Tensor one = tl::ones({n});
    rows.push_back({"add" + size + ", no grad", repeat([=] { use(add(a, b)); }), 0, "ns", "", 150});
    rows.push_back({"add" + size + ", recording", repeat([=] { use(add(x, y)); }), 0, "ns", "", 250});
    rows.push_back({"add" + size + ", recording and backward", repeat([=]() mutable {
                      x.zero_grad();
                      y.zero_grad();
                      add(x, y).backward(one);
                    }),
                    0, "ns", "", 500});
  }
  return rows;
}

}  // namespace bench
