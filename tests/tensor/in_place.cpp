#include "values.h"

TEST_CASE("in place: writes into the storage and counts versions") {
  tl::Tensor x = tl::tensor({1.0, 2.0, 3.0});
  const tl::Tensor same = x;
  const auto before = x.version();
  x.add_(1).mul_(2);
  x += tl::tensor({1.0, 1.0, 1.0});
  x -= 1;
  check_exact(same, 3, {4, 6, 8});
  CHECK(x.version() == before + 4);
  x.clamp_(5, 7).pow_(2).sqrt_();
  check_values(same, 3, {5, 6, 7});
}

TEST_CASE("in place: assigning to a part fills the part, assigning to a name moves the name") {
  tl::Tensor x = tl::zeros({3, 2}), name = x;
  x[0] = tl::tensor({1.0, 2.0});
  x.index({tl::Slice(1, 3), 1}) = 5;
  x.slice(0, 2, 3).select(1, 0) = 7.5;
  check_exact(name, {3, 2}, {1, 2, 0, 5, 7.5, 5});
  name = tl::ones(1);
  check_exact(x, {3, 2}, {1, 2, 0, 5, 7.5, 5});
  CHECK_RAISES((x[0] = tl::ones(3)), "copy_");

  // History goes through the part.
  tl::Tensor w = tl::ones(2).requires_grad_(), y = tl::zeros({2, 2});
  y[1] = w * 3;
  y.sum().backward();
  check_exact(w.grad(), 2, {3, 3});
}

TEST_CASE("in place: views write through, strided and turned ones, too") {
  tl::Tensor x = tl::zeros({2, 3});
  x.select(1, 1).fill_(5);
  x.t()[0].add_(1);
  x.flip(1).slice(1, 0, 1).copy_(tl::tensor({{7.0}, {8.0}}));
  check_exact(x, {2, 3}, {1, 5, 7, 1, 5, 8});
}

TEST_CASE("in place: overlapping source and destination act as if the source had been copied first") {
  tl::Tensor x = tl::arange(6, {.dtype = tl::float32});
  x.slice(0, 1).copy_(x.slice(0, 0, -1));
  check_exact(x, 6, {0, 0, 1, 2, 3, 4});
  tl::Tensor y = tl::arange(6, {.dtype = tl::float32});
  y.slice(0, 1).add_(y.slice(0, 0, -1));
  check_exact(y, 6, {0, 1, 3, 5, 7, 9});
  tl::Tensor z = tl::tensor({{1.0, 2.0}, {3.0, 4.0}});
  z.copy_(z.t());
  check_exact(z, {2, 2}, {1, 3, 2, 4});
}

TEST_CASE("in place: what the dtype or shape can't hold raises and changes nothing") {
  tl::Tensor x = tl::tensor({1, 2, 3});
  CHECK_RAISES(x.add_(0.5), "add_: ", "int64", "use add");
  CHECK_RAISES(x.div_(2), "int64");
  CHECK_RAISES(x.add_(tl::tensor({0.5, 1.0, 1.0})), "add_", "int64");
  CHECK_RAISES(x.add_(tl::ones({2, 3}, {.dtype = tl::int64})), "(2, 3)", "(3,)");
  CHECK_RAISES(x.copy_(tl::ones(4)), "(4,)", "(3,)");
  check_exact(x, 3, {1, 2, 3});
}

TEST_CASE("in place: a leaf that requires grad is protected while history is recorded") {
  tl::Tensor x = leaf({1.0, 2.0});
  CHECK_RAISES(x.add_(1), "leaf", "no_grad");
  CHECK_RAISES(x[0].fill_(1), "leaf");
  {
    tl::no_grad guard;
    x.add_(1);
    x[0].fill_(9);
  }
  check_exact(x, 2, {9, 3});
  CHECK(x.is_leaf());
  x.detach().fill_(4);
  CHECK(x.is_leaf());
  check_exact(x, 2, {4, 4});
}

TEST_CASE("in place: history goes on through an operation in place") {
  tl::Tensor x = leaf({1.0, 2.0});
  tl::Tensor y = x * 2;
  y.mul_(3).add_(x);
  y.sum().backward();
  check_exact(x.grad(), 2, {7, 7});
}

TEST_CASE("in place: a change through a view reaches the gradient of the whole") {
  tl::Tensor x = leaf({1.0, 2.0, 3.0}), v = leaf({5.0});
  tl::Tensor y = x * 2;
  tl::Tensor part = y.slice(0, 1, 2);
  part.mul_(10);
  part.add_(v);
  check_exact(y, 3, {2, 45, 6});
  (y * tl::tensor({1.0, 2.0, 3.0})).sum().backward();
  check_exact(x.grad(), 3, {2, 40, 6});
  check_exact(v.grad(), 1, {2});
}

TEST_CASE("in place: a plain tensor becomes part of the graph through one of its views") {
  tl::Tensor v = leaf({5.0, 6.0});
  tl::Tensor sheet = tl::zeros({2, 2});
  sheet[1].copy_(v);
  CHECK(sheet.requires_grad());
  (sheet * sheet).sum().backward();
  check_exact(v.grad(), 2, {10, 12});
}

TEST_CASE("in place: filling forgets what was there") {
  tl::Tensor x = leaf({1.0, 2.0});
  tl::Tensor y = x * 2;
  y[0].fill_(0);
  y.sum().backward();
  check_exact(x.grad(), 2, {0, 2});
}

TEST_CASE("in place: another view made before the change has a stale history, and says so") {
  tl::Tensor x = leaf({1.0, 2.0});
  tl::Tensor y = x * 2;
  const tl::Tensor other = y.slice(0, 0, 1);
  y.mul_(3);
  CHECK_RAISES(other * 2, "mul", "another view");
  (y.slice(0, 0, 1) * 2).sum().backward();
  check_exact(x.grad(), 2, {12, 0});
}

TEST_CASE("masked_fill_ and addcmul_ work in place with gradients") {
  tl::Tensor x = leaf({1.0, 2.0});
  tl::Tensor y = x * 1;
  y.masked_fill_(tl::tensor({true, false}), 9);
  y.addcmul_(x, x, 2);
  check_exact(y, 2, {11, 10});
  y.sum().backward();
  check_exact(x.grad(), 2, {4, 9});
}

TEST_CASE(
    "in place over memory that two tensors of the user's share: the source counts as copied first") {
  for (const int shift : {-16, -1, 0, 1, 16}) {
    std::vector<float> memory(4096 + 64), expected;
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 97);
    float *p = memory.data() + 32, *g = p + shift;
    for (int i = 0; i < 4096; ++i) expected.push_back(p[i] - g[i]);
    tl::Tensor x = tl::from_blob(p, {4096}, tl::float32), y = tl::from_blob(g, {4096}, tl::float32);
    x.sub_(y);
    CHECK(x.to_vector<float>() == expected);
    expected.assign(g, g + 4096);
    x.copy_(y);
    CHECK(x.to_vector<float>() == expected);
  }
}
