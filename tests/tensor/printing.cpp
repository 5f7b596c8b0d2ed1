#include "values.h"

TEST_CASE("printing: like PyTorch, summarised when large") {
  CHECK(tl::tensor({1.0, 2.5}).str() == "tensor([1.0000, 2.5000])");
  CHECK(tl::tensor({1.0, 2.0}).str() == "tensor([1., 2.])");
  CHECK(tl::tensor({{1, 2}, {3, -4}}).str() == "tensor([[ 1,  2],\n        [ 3, -4]])");
  CHECK(tl::tensor(3).str() == "tensor(3)");
  CHECK(tl::tensor({true, false}).str() == "tensor([ true, false])");
  CHECK(tl::tensor({nan_value, inf, 1.5}).str() == "tensor([   nan,    inf, 1.5000])");
  CHECK(tl::tensor({1e-8, 1.0}).str() == "tensor([1.0000e-08, 1.0000e+00])");
  CHECK(tl::ones(1, {.dtype = tl::float64}).str() == "tensor([1.], dtype=float64)");
  CHECK(tl::ones(1, {.requires_grad = true}).str() == "tensor([1.], requires_grad)");
  CHECK((tl::ones(1, {.requires_grad = true}) * 2).str() == "tensor([2.], grad_fn=mul_scalar)");
  CHECK(tl::zeros({2, 0}).str() == "tensor([[],\n        []], shape=(2, 0))");
  CHECK(tl::arange(2000).str() == "tensor([   0,    1,    2, ..., 1997, 1998, 1999])");
  CHECK(tl::Tensor().str() == "tensor(undefined)");
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1, largest = INT64_MAX, smallest = INT64_MIN;
  CHECK(tl::tensor({odd, -odd}).str() == "tensor([ 9007199254740993, -9007199254740993])");
  CHECK(tl::tensor(largest).str() == "tensor(9223372036854775807)");
  CHECK(tl::tensor(smallest).str() == "tensor(-9223372036854775808)");
  const std::string cube = tl::zeros({2, 2, 1}).str();
  CHECK(cube == "tensor([[[0.],\n         [0.]],\n\n        [[0.],\n         [0.]]])");
}
