// SGD, Adam and AdamW change all parameters by one call of the backend where they can, and by operations
// where not: the bits are the same.
#include <cstring>
#include <memory>

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::Tensor;

namespace {

/// Leaves of these values, as they are and as what a fused step doesn't take: a view that is transposed.
Tensor leaf(const Tensor& values, bool apart) {
  Tensor x = apart ? values.t().contiguous().t() : values.clone();
  return x.requires_grad_();
}

template <class T> void check_bits(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const std::vector<T> x = a.to_vector<T>(), y = b.to_vector<T>();
  CHECK((x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0));
}

void check_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() == tl::float64)
    check_bits<double>(a, b);
  else
    check_bits<float>(a, b);
}

using Make = std::unique_ptr<optim::Optimizer> (*)(std::vector<Tensor>);

void check_same_bits(Make make, tl::Dtype dtype) {
  tl::manual_seed(3);
  std::vector<Tensor> together, apart;
  for (const tl::Shape& shape : {tl::Shape{1, 1}, {2, 3}, {7, 11}, {130, 257}, {0, 4}, {300, 300}}) {
    const Tensor values = tl::randn(shape, {.dtype = dtype});
    together.push_back(leaf(values, false));
    apart.push_back(leaf(values, true));
  }
  const auto one = make(together), other = make(apart);
  for (int step = 0; step < 5; ++step) {
    for (std::size_t i = 0; i < together.size(); ++i) {
      if (step == 1 && i == 2) {  // one parameter falls behind the others
        together[i].zero_grad(), apart[i].zero_grad();
        continue;
      }
      const Tensor gradient = tl::randn(together[i].shape(), {.dtype = dtype});
      together[i].set_grad(gradient), apart[i].set_grad(gradient.clone());
    }
    one->step(), other->step();
    for (std::size_t i = 0; i < together.size(); ++i) check_bits(together[i], apart[i]);
  }
  const tl::StateDict a = one->state_dict(), b = other->state_dict();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].name == b[i].name);
    if (a[i].tensor.dtype() == dtype) check_bits(a[i].tensor, b[i].tensor);
  }
}

}  // namespace

TEST_CASE("a step of all parameters in one call has the bits of the step of operations") {
  const Make makes[] = {
      [](std::vector<Tensor> p) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<optim::SGD>(p, optim::SGDOptions{.lr = 0.1});
      },
      [](std::vector<Tensor> p) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<optim::SGD>(
            p, optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.01});
      },
      [](std::vector<Tensor> p) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<optim::SGD>(
            p, optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .nesterov = true});
      },
      [](std::vector<Tensor> p) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<optim::Adam>(p, optim::AdamOptions{.lr = 0.1, .weight_decay = 0.01});
      },
      [](std::vector<Tensor> p) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<optim::AdamW>(p, optim::AdamWOptions{.lr = 0.1});
      },
  };
  for (const Make make : makes)
    for (const tl::Dtype dtype : {tl::float32, tl::float64}) check_same_bits(make, dtype);
}

TEST_CASE("a change by an optimizer counts as one in place: history that saved the values is stale") {
  Tensor w = tl::ones({3}).requires_grad_();
  const Tensor loss = (w * w).sum();
  optim::Adam optimizer({w});
  w.set_grad(tl::ones({3}));
  optimizer.step();
  CHECK(tl::test::says(tl::test::error_of([&] { loss.backward(); }), "in place"));
}
