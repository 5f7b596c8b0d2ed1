#include "values.h"

TEST_CASE("backward: gradients accumulate until they are zeroed") {
  tl::Tensor x = leaf({1.0, 2.0});
  (x * x).sum().backward();
  (x * 3).sum().backward();
  check_exact(x.grad(), 2, {5, 7});
  x.zero_grad();
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("backward: each leaf has a gradient of its own memory") {
  tl::Tensor x = leaf({1.0}), y = leaf({1.0});
  (x + y).sum().backward();
  x.grad().fill_(7);
  check_exact(y.grad(), 1, {1});
}

TEST_CASE("backward: a tensor used twice, a diamond and a reused part") {
  tl::Tensor x = leaf(3.0);
  const tl::Tensor y = x * x;
  (y * y + y).backward();
  CHECK(x.grad().item<double>() == 4 * 27 + 6);
}

TEST_CASE("backward: a second run needs retain_graph, and says so") {
  tl::Tensor x = leaf({1.0, 2.0});
  const tl::Tensor y = (x * x).sum();
  y.backward({}, {.retain_graph = true});
  y.backward();
  check_exact(x.grad(), 2, {4, 8});
  CHECK_RAISES(y.backward(), "already freed", "retain_graph");
}

TEST_CASE("backward: what it needs is said when it is missing") {
  tl::Tensor x = leaf({1.0, 2.0});
  CHECK_RAISES((x * 2).backward(), "(2,)", "sum");
  CHECK_RAISES((x * 2).backward(tl::ones(3)), "(3,)", "(2,)");
  CHECK_RAISES((x * x).backward(tl::tensor({1, 2})), "a gradient of int64", "float32");
  CHECK_RAISES((x * x).backward(tl::ones(2, {.dtype = tl::float64})), "a gradient of float64",
               "float32");
  CHECK_RAISES(tl::grad({x * x}, {x}, {tl::tensor({1, 2})}), "grad: a gradient of int64", "float32");
  CHECK_RAISES(tl::ones(1).backward(), "no history");
  CHECK_RAISES(tl::Tensor().backward(), "undefined");
  CHECK_RAISES(tl::tensor({1, 2}).requires_grad_(), "int64");
}

TEST_CASE(
    "version counter: a saved tensor that was changed in place is an error that names the operation") {
  tl::Tensor x = leaf({1.0, 2.0}), factor = tl::tensor({3.0, 4.0});
  const tl::Tensor y = x * factor;
  factor.add_(1);
  CHECK_RAISES(y.sum().backward(), "mul", "changed in place");
  tl::Tensor z = x * 2;  // the product saves nothing, so this is no fault
  z.add_(1);
  z.sum().backward();
  check_exact(x.grad(), 2, {2, 2});
  tl::Tensor e = x.exp();
  e.mul_(2);
  CHECK_RAISES(e.sum().backward(), "exp");
}

TEST_CASE("version counter: is shared by views, and values that aren't saved may change") {
  tl::Tensor x = leaf({1.0, 2.0}), factor = tl::tensor({3.0, 4.0, 5.0});
  const tl::Tensor y = x * factor.slice(0, 0, 2);
  factor[2].fill_(0);
  CHECK_RAISES(y.sum().backward(), "changed in place");
}

TEST_CASE("hooks see and replace gradients, also of inner tensors") {
  tl::Tensor x = leaf({1.0, 2.0});
  tl::Tensor y = x * 2;
  std::vector<double> seen;
  const auto id = y.register_hook([&](const tl::Tensor& g) {
    seen = g.to_vector<double>();
    return g * 10;
  });
  y.sum().backward();
  CHECK(seen == std::vector<double>{1, 1});
  check_exact(x.grad(), 2, {20, 20});
  y.remove_hook(id);
  x.zero_grad();
  tl::Tensor z = x * 2;
  z.register_hook([](const tl::Tensor&) { return tl::ones(3); });
  CHECK_RAISES(z.sum().backward(), "hook", "(3,)");
  tl::Tensor u = x * 2;
  u.register_hook([](const tl::Tensor& g) { return g.to(tl::float64); });
  CHECK_RAISES(u.sum().backward(), "hook", "a gradient of float64", "float32");
}

TEST_CASE("hooks may add hooks and remove them, also the one that runs") {
  tl::Tensor x = leaf({1.0, 2.0});
  int once = 0, added = 0;
  std::uint64_t id = 0;
  id = x.register_hook([&, text = std::string(100, 'x')](const tl::Tensor& g) {
    x.remove_hook(id);
    for (int i = 0; i < 20; ++i)
      x.register_hook([&](const tl::Tensor&) {
        ++added;
        return tl::Tensor();
      });
    ++once;
    return g * static_cast<double>(text.size());
  });
  (x * 2).sum().backward();
  CHECK(once == 1);
  CHECK(added == 0);  // they are for the next time
  check_exact(x.grad(), 2, {200, 200});
  (x * 2).sum().backward();
  CHECK(once == 1);
  CHECK(added == 20);
}

TEST_CASE("set_data: what is refused changes nothing") {
  tl::Tensor x = leaf({1.0, 2.0});
  const tl::Tensor y = (x * x).sum();
  CHECK_RAISES(x.set_data(tl::tensor({1, 2})), "set_data", "int64");
  CHECK(x.dtype() == tl::float32);
  CHECK(x.requires_grad());
  y.backward();
  check_exact(x.grad(), 2, {2, 4});
}

TEST_CASE("retain_grad keeps the gradient of an inner tensor") {
  tl::Tensor x = leaf({1.0, 2.0});
  tl::Tensor y = x * 2;
  CHECK_FALSE(y.is_leaf());
  y.retain_grad();
  (y * y).sum().backward();
  check_exact(y.grad(), 2, {4, 8});
  CHECK_RAISES(tl::ones(1).retain_grad(), "retain_grad");
}

TEST_CASE("grad: gives gradients and touches no grad field") {
  tl::Tensor x = leaf({1.0, 2.0}), unused = leaf(1.0);
  const tl::Tensor y = (x * x).sum();
  const auto g = tl::grad({y}, {x, unused});
  check_exact(g[0], 2, {2, 4});
  CHECK_FALSE(g[1].defined());
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("grad: of an inner tensor, and higher orders") {
  tl::Tensor x = leaf(2.0, tl::float64);
  const tl::Tensor y = x * x * x;
  const tl::Tensor first = tl::grad({y}, {x}, {}, {.create_graph = true})[0];
  CHECK(first.item<double>() == 12);
  const tl::Tensor second = tl::grad({first}, {x}, {}, {.create_graph = true})[0];
  CHECK(second.item<double>() == 12);
  CHECK(tl::grad({second}, {x})[0].item<double>() == 6);
  const tl::Tensor middle = x * x;
  CHECK(tl::grad({middle * middle}, {middle})[0].item<double>() == 8);
}

TEST_CASE("detach and no_grad cut the history, clone keeps it") {
  tl::Tensor x = leaf({1.0, 2.0});
  CHECK_FALSE(x.detach().requires_grad());
  CHECK(x.detach().is_view_of(x));
  CHECK_FALSE(x.clone().is_view_of(x));
  x.clone().sum().backward();
  check_exact(x.grad(), 2, {1, 1});
  tl::no_grad guard;
  CHECK_FALSE((x * 2).requires_grad());
}

TEST_CASE("custom functions: forward, backward, saved tensors and their errors") {
  const auto cube = [](const tl::Tensor& x) {
    return tl::custom_function(
        "cube", {x},
        [](tl::FunctionContext& c, const std::vector<tl::Tensor>& in) {
          c.save({in[0]});
          return in[0] * in[0] * in[0];
        },
        [](tl::FunctionContext& c, const tl::Tensor& g) {
          return std::vector<tl::Tensor>{g * c.saved()[0] * c.saved()[0] * 3};
        });
  };
  tl::Tensor x = leaf({1.0, 2.0}, tl::float64);
  cube(x).sum().backward();
  check_exact(x.grad(), 2, {3, 12});
  CHECK(tl::gradcheck([&](const std::vector<tl::Tensor>& in) { return cube(in[0]); }, {x},
                      {.second_order = true}));
  const auto broken = [](std::vector<tl::Tensor> gradients) {
    tl::Tensor in = leaf({1.0, 2.0});
    tl::custom_function(
        "broken", {in}, [](tl::FunctionContext&, const std::vector<tl::Tensor>& v) { return v[0] * 1; },
        [=](tl::FunctionContext&, const tl::Tensor&) { return gradients; })
        .sum()
        .backward();
  };
  CHECK_RAISES(broken({}), "broken", "0 gradients", "1 input");
  CHECK_RAISES(broken({tl::ones(3)}), "broken: input 0", "(3,)", "(2,)");
  CHECK_RAISES(broken({tl::tensor({1, 2})}), "broken: input 0", "a gradient of int64", "float32");
}

TEST_CASE("integers, comparisons and arg reductions have no history") {
  tl::Tensor x = leaf({1.0, 2.0});
  CHECK_FALSE((x > 1).requires_grad());
  CHECK_FALSE(x.argmax().requires_grad());
  CHECK_FALSE(x.to(tl::int64).requires_grad());
}

TEST_CASE(
    "set_data: a leaf given other data after it was used is an error in backward, never a lost "
    "gradient") {
  tl::Tensor x = leaf({1.0, 2.0});
  const tl::Tensor y = (x * 2).sum();
  x.set_data(tl::ones(3));
  CHECK_RAISES(y.backward(), "set_data");
  (x * 2).sum().backward();
  check_exact(x.grad(), 3, {2, 2, 2});
}

TEST_CASE("set_grad: keeps values alone, so that a tensor may be its own gradient") {
  tl::Tensor x = leaf({1.0, 2.0});
  x.set_grad(x);
  check_exact(x.grad(), 2, {1, 2});
  CHECK_FALSE(x.grad().requires_grad());
}

TEST_CASE("set_grad: what backward adds reaches nobody else's tensor") {
  const tl::Tensor x = tl::ones({2}).requires_grad_(), y = tl::ones({2}).requires_grad_();
  const auto set = [](tl::Tensor of, const tl::Tensor& gradient) { of.set_grad(gradient); };
  set(x, tl::ones({1}).expand({2}));  // elements that share memory
  (x * 3).sum().backward();
  check_exact(x.grad(), 2, {4, 4});

  const tl::Tensor shared = tl::ones({2});
  set(x, shared), set(y, shared);
  (x * 3 + y * 5).sum().backward();
  check_exact(x.grad(), 2, {4, 4});
  check_exact(y.grad(), 2, {6, 6});
  check_exact(shared, 2, {1, 1});

  set(x, x.detach());
  (x * 3).sum().backward();
  check_exact(x, 2, {1, 1});
  check_exact(x.grad(), 2, {4, 4});
}
