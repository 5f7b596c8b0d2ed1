// Every rule against finite differences in float64, first and second order.
#include "values.h"

namespace {

using Inputs = std::vector<tl::Tensor>;
using Function = std::function<tl::Tensor(const Inputs&)>;

tl::Tensor random(const tl::Shape& shape, double low = -2, double high = 2) {
  static tl::Generator generator{7, 0};
  return tl::uniform(shape, low, high, {.dtype = tl::float64, .requires_grad = true}, &generator);
}

void check(const char* name, const Function& f, const Inputs& inputs, bool second_order = true) {
  CAPTURE(name);
  const std::string what = error_of([&] { tl::gradcheck(f, inputs, {.second_order = second_order}); });
  CAPTURE(what);
  CHECK(what.empty());
}

/// One tensor in, one out.
void check(const char* name, tl::Tensor (*f)(const tl::Tensor&), double low = -2, double high = 2) {
  check(name, [f](const Inputs& x) { return f(x[0]); }, {random({2, 3}, low, high)});
}

}  // namespace

TEST_CASE("gradcheck: fails for a wrong derivative") {  // the control of everything below
  const auto wrong = [](const Inputs& x) {
    return tl::custom_function(
        "twice", x, [](tl::FunctionContext&, const Inputs& in) { return in[0] * 2; },
        [](tl::FunctionContext&, const tl::Tensor& g) { return Inputs{g * 2.01}; });
  };
  CHECK_RAISES(tl::gradcheck(wrong, {random(3)}), "gradcheck", "element 0 of input 0");
  CHECK_RAISES(
      tl::gradcheck([](const Inputs& x) { return x[0]; }, {tl::ones(2, {.requires_grad = true})}),
      "float64");
  // Right at first order, without slope at second.
  const auto flat = [](const Inputs& x) {
    return tl::custom_function(
        "square", x,
        [](tl::FunctionContext& c, const Inputs& in) {
          c.save({in[0].detach()});
          return in[0] * in[0];
        },
        [](tl::FunctionContext& c, const tl::Tensor& g) { return Inputs{g * c.saved()[0] * 2}; });
  };
  CHECK(tl::gradcheck(flat, {random(3)}));
  CHECK_RAISES(tl::gradcheck(flat, {random(3)}, {.second_order = true}), "second order");
}

TEST_CASE("rules: elementwise functions of one tensor") {
  check("neg", tl::neg);
  check("abs", tl::abs, 0.1, 2);
  check("abs", tl::abs, -2, -0.1);
  check("square", tl::square);
  check("reciprocal", tl::reciprocal, 0.5, 2);
  check("sqrt", tl::sqrt, 0.5, 2);
  check("rsqrt", tl::rsqrt, 0.5, 2);
  check("exp", tl::exp);
  check("log", tl::log, 0.5, 3);
  check("sin", tl::sin);
  check("cos", tl::cos);
  check("erf", tl::erf);
  check("tanh", tl::tanh);
  check("sigmoid", tl::sigmoid);
  check("relu", tl::relu, 0.1, 2);
  check("relu", tl::relu, -2, -0.1);
  check("gelu", tl::gelu, -3, 3);
  check("gelu_tanh", tl::gelu_tanh, -3, 3);
  check("silu", tl::silu, -3, 3);
  check("leaky_relu", [](const Inputs& x) { return tl::leaky_relu(x[0], 0.2); },
        {random({2, 3}, -2, -0.1)});
  check("softplus", [](const Inputs& x) { return tl::softplus(x[0], 2, 3); }, {random({3, 4})});
  check("clamp", [](const Inputs& x) { return tl::clamp(x[0], -0.5, 0.5) * x[0]; }, {random({3, 4})});
  check(
      "floor",
      [](const Inputs& x) {
        return tl::floor(x[0]) + tl::ceil(x[0]) * x[0] + tl::round(x[0]) + tl::sign(x[0]);
      },
      {random({2, 3}, 0.1, 0.4)}, false);
}

TEST_CASE("rules: with a scalar on either side") {
  const auto in = [](double low = 0.5) { return Inputs{random({2, 3}, low, 2)}; };
  check(
      "add", [](const Inputs& x) { return (x[0] + 2) * (3 + x[0]); }, in());
  check(
      "sub", [](const Inputs& x) { return (x[0] - 2) * (3 - x[0]); }, in());
  check(
      "mul", [](const Inputs& x) { return (x[0] * 2) * (3 * x[0]); }, in());
  check(
      "div", [](const Inputs& x) { return (x[0] / 2) * (3 / x[0]); }, in());
  check(
      "pow", [](const Inputs& x) { return tl::pow(x[0], 3) + tl::pow(x[0], -1.5) + tl::pow(x[0], 0); },
      in());
  check("pow of a negative base", [](const Inputs& x) { return tl::pow(x[0], 3); },
        {random(4, -2, -0.5)});
  check(
      "scalar ** x", [](const Inputs& x) { return tl::pow(2.5, x[0]); }, in(-2));
  check(
      "maximum", [](const Inputs& x) { return tl::maximum(x[0], 1.1) * tl::minimum(0.9, x[0]); }, in());
}

TEST_CASE("rules: two and three tensors, with broadcasting") {
  const Inputs pair{random({2, 3}, 0.5, 2), random({3}, 0.5, 2)};
  const Inputs column{random({2, 1}, 0.5, 2), random({2, 3}, 0.5, 2)};
  for (const Inputs& in : {pair, column}) {
    check(
        "add", [](const Inputs& x) { return (x[0] + x[1]) * x[1]; }, in);
    check(
        "sub", [](const Inputs& x) { return (x[0] - x[1]) * x[0]; }, in);
    check(
        "mul", [](const Inputs& x) { return x[0] * x[1]; }, in);
    check(
        "div", [](const Inputs& x) { return x[0] / x[1]; }, in);
    check(
        "pow", [](const Inputs& x) { return tl::pow(x[0], x[1]); }, in);
    check(
        "maximum", [](const Inputs& x) { return tl::maximum(x[0], x[1]) * x[0]; }, in);
    check(
        "minimum", [](const Inputs& x) { return tl::minimum(x[0], x[1]) * x[1]; }, in);
    check(
        "where", [](const Inputs& x) { return tl::where(x[0] > x[1], x[0] * x[0], x[1]); }, in);
  }
  const Inputs three{random({2, 3}), random({3}, -1.5, -0.5), random({2, 1}, 0.5, 1.5)};
  check(
      "clamp", [](const Inputs& x) { return tl::clamp(x[0], x[1], x[2]) * x[0]; }, three);
  check(
      "addcmul", [](const Inputs& x) { return tl::addcmul(x[0], x[1], x[2], 0.7); }, three);
}

TEST_CASE("maximum and minimum share the gradient among ties") {
  tl::Tensor a = leaf({1.0, 2.0, 3.0}), b = leaf({1.0, 3.0, 2.0});
  tl::maximum(a, b).sum().backward();
  check_exact(a.grad(), 3, {.5, 0, 1});
  check_exact(b.grad(), 3, {.5, 1, 0});
}

TEST_CASE("rules: reductions") {
  const Inputs in{random({2, 3, 2})};
  for (const tl::Dims& dims : {tl::Dims(), tl::Dims(1), tl::Dims{0, -1}}) {
    for (bool keep : {false, true}) {
      check(
          "sum", [=](const Inputs& x) { return x[0].square().sum(dims, keep); }, in);
      check(
          "mean", [=](const Inputs& x) { return x[0].square().mean(dims, keep); }, in);
      check(
          "var", [=](const Inputs& x) { return x[0].var(dims, keep); }, in);
      check(
          "std", [=](const Inputs& x) { return x[0].std(dims, keep); }, in);
      check(
          "prod", [=](const Inputs& x) { return x[0].prod(dims, keep); }, in, false);
      check(
          "max", [=](const Inputs& x) { return x[0].square().max(dims, keep); }, in);
      check(
          "min", [=](const Inputs& x) { return x[0].min(dims, keep); }, in);
      check(
          "logsumexp", [=](const Inputs& x) { return x[0].logsumexp(dims, keep); }, in);
      check(
          "norm", [=](const Inputs& x) { return x[0].norm(2, dims, keep); }, in);
      check(
          "norm 1", [=](const Inputs& x) { return x[0].norm(1, dims, keep); }, in);
      check(
          "norm 3", [=](const Inputs& x) { return x[0].norm(3, dims, keep); }, in, false);
    }
  }
  check(
      "cumsum", [](const Inputs& x) { return x[0].square().cumsum(1); }, in);
}

TEST_CASE("prod: the gradient is right with one and with two zeros") {
  tl::Tensor one = leaf({2.0, 0.0, 3.0}), two = leaf({0.0, 0.0, 3.0});
  one.prod().backward();
  two.prod().backward();
  check_exact(one.grad(), 3, {0, 6, 0});
  check_exact(two.grad(), 3, {0, 0, 0});
}

TEST_CASE("max and min share the gradient equally among ties") {
  tl::Tensor x = leaf({{1.0, 3.0, 3.0}, {2.0, 2.0, 2.0}});
  x.max(1).sum().backward();
  check_values(x.grad(), {2, 3}, {0, .5, .5, 1.0 / 3, 1.0 / 3, 1.0 / 3});
}

TEST_CASE("rules: matmul with every rank and batch") {
  const auto product = [](const Inputs& x) { return x[0].matmul(x[1]); };
  check("matrix", product, {random({2, 3}), random({3, 4})});
  check("vectors", product, {random(3), random(3)});
  check("vector, matrix", product, {random(3), random({3, 2})});
  check("matrix, vector", product, {random({2, 3}), random(3)});
  check("batch, matrix", product, {random({2, 2, 3}), random({3, 2})});
  check("matrix, batch", product, {random({2, 3}), random({2, 3, 2})});
  check("batches that broadcast", product, {random({2, 1, 2, 3}), random({3, 3, 2})});
  check("transposed", [](const Inputs& x) { return x[0].t().matmul(x[1].t()); },
        {random({3, 2}), random({4, 3})});
}

TEST_CASE("rules: softmax, log_softmax, attention softmax, layernorm") {
  const Inputs in{random({2, 3, 4})};
  for (int dim = -3; dim < 3; ++dim) {
    check(
        "softmax", [=](const Inputs& x) { return x[0].softmax(dim).square(); }, in);
    check(
        "log_softmax", [=](const Inputs& x) { return x[0].log_softmax(dim).square(); }, in);
  }
  check("attn_softmax",
        [](const Inputs& x) {
          return tl::attn_softmax(x[0], x[1], {.scale = 0.7, .causal = true, .causal_offset = 1})
              .square();
        },
        {random({2, 2, 3, 4}), random({3, 4})});
  check("layer_norm", [](const Inputs& x) { return tl::layer_norm(x[0], 4, x[1], x[2]).square(); },
        {random({2, 3, 4}), random(4), random(4)});
  check("layer_norm over two dims, without weights",
        [](const Inputs& x) {
          return tl::layer_norm(x[0], {3, 2}).square();
        },
        {random({2, 3, 2})});
}

TEST_CASE("rules: layout and views") {
  const Inputs in{random({2, 3, 4})};
  const auto curve = [](const tl::Tensor& x) { return x * x; };
  check(
      "reshape",
      [=](const Inputs& x) {
        return curve(x[0].reshape({4, -1}));
      },
      in);
  check(
      "permute",
      [=](const Inputs& x) {
        return curve(x[0].permute({2, 0, 1}));
      },
      in);
  check(
      "transpose, reshape",
      [=](const Inputs& x) {
        return curve(x[0].transpose(0, 2).reshape({6, 4}));
      },
      in);
  check(
      "expand",
      [=](const Inputs& x) {
        return curve(x[0].unsqueeze(1).expand({2, 5, 3, 4}));
      },
      in);
  check(
      "slice", [=](const Inputs& x) { return curve(x[0].slice(2, 3, 0, -2).slice(1, 1)); }, in);
  check(
      "slice of a transpose",
      [=](const Inputs& x) { return curve(x[0].transpose(0, 2).slice(0, 1, 3)); }, in);
  check(
      "select", [=](const Inputs& x) { return curve(x[0].select(1, -1)); }, in);
  check(
      "index",
      [=](const Inputs& x) {
        return curve(x[0].index({1, tl::Slice(0, 3, 2), std::nullopt}));
      },
      in);
  check(
      "flip",
      [=](const Inputs& x) {
        return curve(x[0].flip({0, 2})) * x[0];
      },
      in);
  check(
      "unfold", [=](const Inputs& x) { return curve(x[0].unfold(2, 3, 1)); }, in);
  check(
      "unfold with step", [=](const Inputs& x) { return curve(x[0].unfold(2, 2, 2)); }, in);
  check("cat",
        [=](const Inputs& x) {
          return curve(tl::cat({x[0], x[1], x[0]}, 1));
        },
        {random({2, 3}), random({2, 1})});
  check("stack",
        [=](const Inputs& x) {
          return curve(tl::stack({x[0], x[1]}, -1));
        },
        {random(3), random(3)});
  check(
      "split", [=](const Inputs& x) { return x[0].split(2, 2)[1] * x[0].chunk(2, 2)[0]; }, in);
  check(
      "clone, contiguous",
      [=](const Inputs& x) { return curve(x[0].transpose(0, 1).contiguous().clone()); }, in);
  check(
      "squeeze", [=](const Inputs& x) { return curve(x[0].slice(0, 0, 1).squeeze().flatten()); }, in);
}

TEST_CASE("rules: by index, with repeated indices") {
  const tl::Tensor rows = tl::tensor({2, 0, 2, 1});
  check("index_select", [=](const Inputs& x) { return x[0].index_select(0, rows).square(); },
        {random({3, 2})});
  check("index_select of dim 1", [=](const Inputs& x) { return x[0].index_select(1, rows).square(); },
        {random({2, 3})});
  const tl::Tensor places = tl::tensor({{0, 1, 0}, {2, 2, 1}});
  check("gather", [=](const Inputs& x) { return x[0].gather(0, places).square(); }, {random({3, 3})});
  check("scatter_add", [=](const Inputs& x) { return x[0].scatter_add(0, places, x[1]).square(); },
        {random({3, 3}), random({2, 3})});
  check("scatter_add of a part",
        [=](const Inputs& x) { return x[0].scatter_add(0, places, x[1]).square(); },
        {random({3, 4}), random({3, 5})});
  const tl::Tensor mask = tl::tensor({{true, false, true}, {false, false, true}});
  check("masked_fill", [=](const Inputs& x) { return x[0].masked_fill(mask, 3).square(); },
        {random({2, 3})});
}

TEST_CASE("rules: many lookups in one table add up, each where it looked") {
  const tl::Tensor table = tl::zeros({5, 2}).requires_grad_();
  tl::Tensor sum = table.sum() * 10;
  for (const std::int64_t row : {1, 3, 1, 4})
    sum = sum + table.index_select(0, tl::tensor({row, std::int64_t{0}})).sum() * 2;
  sum = sum + table.gather(1, tl::tensor({{1}, {0}})).sum();
  sum.backward();
  check_exact(table.grad(), {5, 2}, {18, 19, 15, 14, 10, 10, 12, 12, 12, 12});

  // Where somebody else holds the gradient that waits, it stays as it was.
  const tl::Tensor w = tl::ones({3}).requires_grad_();
  tl::Tensor y = w * 1;
  tl::Tensor seen;
  const tl::Tensor z = y.index_select(0, tl::tensor({0})).sum() + (y * 1).sum();
  y.register_hook([&](const tl::Tensor& g) {
    seen = g;
    return g;
  });
  z.backward();
  check_exact(seen, 3, {2, 1, 1});
  check_exact(w.grad(), 3, {2, 1, 1});
}

TEST_CASE("rules: conversion keeps the gradient in the input's dtype") {
  tl::Tensor x = leaf({1.0, 2.0});
  (x.to(tl::float64) * tl::tensor({3.0, 4.0}, {.dtype = tl::float64})).sum().backward();
  CHECK(x.grad().dtype() == tl::float32);
  check_exact(x.grad(), 2, {3, 4});
  tl::Tensor y = leaf({1.0, 2.0});
  (y * tl::tensor({3, 4})).sum().backward();
  check_exact(y.grad(), 2, {3, 4});
}
