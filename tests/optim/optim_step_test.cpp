// Which parameters one call of torchlight.optim/1 takes, seen from inside.
#include "tensor/optim_step.h"

#include <doctest/doctest.h>
#include <torchlight/torchlight.h>

#include "support/host_memory.h"

namespace tl = torchlight;
using tl::Step;
using tl::StepItem;
using tl::StepRule;
using tl::Tensor;

namespace {

bool takes(std::vector<StepItem> items) {
  return tl::try_step(Step{.rule = StepRule::sgd, .lr = 0.5}, items);
}

StepItem item(const Tensor& param, const Tensor& grad) { return {param, grad, {}}; }

}  // namespace

TEST_CASE("try_step: what cpu does in one call") {
  const Tensor a = tl::ones({2, 3}), b = tl::ones({5}), g = tl::full({2, 3}, 2), h = tl::full({5}, 4);
  CHECK(takes({}));
  REQUIRE(takes({item(a, g), item(b, h)}));
  CHECK(a.sum().item<float>() == 0);
  CHECK(b.sum().item<float>() == -5);
  CHECK(takes({item(a, g), item(a.clone(), g)}));  // gradients are only read
}

TEST_CASE("try_step: what it leaves to operations, changing nothing") {
  const Tensor a = tl::ones({2, 3}), g = tl::ones({2, 3});
  const auto refuses = [&](std::vector<StepItem> items) {
    CHECK_FALSE(takes(items));
    CHECK(a.sum().item<float>() == 6);
  };
  refuses({item(a, tl::ones({3, 2}))});                          // another shape
  refuses({item(a, tl::ones({2, 3}, {.dtype = tl::float64}))});  // another dtype
  refuses({item(a, tl::ones({3, 2}).t())});                      // not contiguous
  refuses(
      {item(a, g), item(tl::ones({2}, {.dtype = tl::float64}), tl::ones({2}, {.dtype = tl::float64}))});
  refuses({item(a, g), item(a, g)});          // changed twice
  refuses({item(a, g), item(g, a)});          // changed and read
  refuses({item(a.view({6}), g.view({6}))});  // a view's base has history
  const auto observed = tl::trace(
      [&](const std::vector<Tensor>& x) {
        refuses({item(a, g)});  // a trace shows operations
        return x;
      },
      {g});
}

TEST_CASE("the second step of Adam takes no memory: it is one call for all parameters") {
  std::vector<Tensor> params;
  for (const int n : {3, 40, 5000}) params.push_back(tl::ones({n}).requires_grad_());
  tl::optim::AdamW optimizer(params);
  for (Tensor& p : params) p.set_grad(tl::ones(p.shape()));
  optimizer.step();
  const auto before = tl::host_memory::statistics().allocations;
  optimizer.step();
  CHECK(tl::host_memory::statistics().allocations == before);
}
