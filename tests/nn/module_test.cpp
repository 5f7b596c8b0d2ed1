#include <sstream>

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using tl::test::check_close, tl::test::error_of, tl::test::says;

namespace {

struct Block : nn::Module {
  nn::Linear& inner = register_module("inner", nn::Linear(2, 2));
  tl::Tensor scale = register_parameter("scale", tl::ones({2}));
  tl::Tensor steps = register_buffer("steps", tl::tensor(3));
  tl::Tensor forward(const tl::Tensor& x) override { return inner(x) * scale; }
};

struct Net : nn::Module {
  Block& first = register_module("first", Block());
  Block& second = register_module("second", Block());
  tl::Tensor forward(const tl::Tensor& x) override { return second(first(x)); }
};

std::vector<std::string> names(const std::vector<tl::NamedTensor>& entries) {
  std::vector<std::string> result;
  for (const auto& entry : entries) result.push_back(entry.name);
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("module: parameters and buffers have full names, in order of registration") {
  Net net;
  CHECK(names(net.named_parameters()) == Names{"first.scale", "first.inner.weight", "first.inner.bias",
                                               "second.scale", "second.inner.weight",
                                               "second.inner.bias"});
  CHECK(names(net.named_buffers()) == Names{"first.steps", "second.steps"});
  CHECK(net.parameters().size() == 6);
  CHECK(net.children().size() == 2);
  for (const tl::Tensor& parameter : net.parameters()) CHECK(parameter.requires_grad());
  for (const tl::Tensor& buffer : net.buffers()) CHECK_FALSE(buffer.requires_grad());
}

TEST_CASE("module: a shared parameter is listed once, but saved under each name") {
  struct Tied : nn::Module {
    tl::Tensor a = register_parameter("a", tl::ones({2}));
    tl::Tensor b = register_parameter("b", a);
  } tied;
  CHECK(names(tied.named_parameters()) == Names{"a"});
  CHECK(names(tied.state_dict()) == Names{"a", "b"});
}

TEST_CASE("module: a copy shares parameters and the training flag") {
  nn::Sequential model(nn::Linear(2, 2), nn::Dropout());
  nn::Sequential copy(model);
  copy.eval();
  CHECK_FALSE(model.is_training());
  CHECK_FALSE(model[1].is_training());
  CHECK(copy.parameters()[0].is_view_of(model.parameters()[0]));
}

TEST_CASE("module: members outlive the object they were first built in") {
  auto make = [] {
    Net net;
    return std::make_unique<Net>(net);
  };
  const auto net = make();
  CHECK(net->forward(tl::ones({3, 2})).shape() == tl::Shape{3, 2});
}

TEST_CASE("module: train, eval and requires_grad_ reach the whole tree") {
  Net net;
  CHECK(net.second.inner.is_training());
  net.eval();
  CHECK_FALSE(net.second.inner.is_training());
  net.train().requires_grad_(false);
  CHECK(net.second.inner.is_training());
  CHECK_FALSE(net.second.inner.weight.requires_grad());
}

TEST_CASE("module: apply visits children before parents, as what they are") {
  Net net;
  Names visited;
  net.apply([&](nn::Module& module) {
    visited.push_back(module.type_name());
    if (auto* linear = dynamic_cast<nn::Linear*>(&module)) nn::init::zeros_(linear->bias);
  });
  CHECK(visited == Names{"Linear", "Block", "Linear", "Block", "Net"});
  check_close(net.first.inner.bias, 2, {0, 0});
}

TEST_CASE("module: zero_grad forgets all gradients") {
  Net net;
  net(tl::ones({1, 2})).sum().backward();
  CHECK(net.first.scale.grad().defined());
  net.zero_grad();
  for (const tl::Tensor& parameter : net.parameters()) CHECK_FALSE(parameter.grad().defined());
}

TEST_CASE("module: to a dtype converts floats in place, for holders of the tensors too") {
  Net net;
  const tl::Tensor weight = net.first.inner.weight;
  const auto before = weight.to_vector<float>();
  net.to(tl::float64);
  CHECK(weight.dtype() == tl::float64);
  CHECK(weight.requires_grad());
  CHECK(weight.to_vector<float>() == before);
  CHECK(net.first.steps.dtype() == tl::int64);
  CHECK(net(tl::ones({1, 2}, {.dtype = tl::float64})).dtype() == tl::float64);
  CHECK(says(error_of([&] { net.to(tl::int64); }), "Net", "int64"));
}

TEST_CASE("module: registering a bad name is an error") {
  struct Bad : nn::Module {
    explicit Bad(const std::string& name) {
      register_parameter("taken", tl::ones({1}));
      register_buffer(name, tl::ones({1}));
    }
  };
  CHECK(says(error_of([] { Bad("taken"); }), "Bad", "\"taken\"", "taken"));
  CHECK(says(error_of([] { Bad(""); }), "empty"));
  CHECK(says(error_of([] { Bad("a.b"); }), "dot"));
  CHECK(error_of([] { Bad("fine"); }) == "");
}

TEST_CASE("module: without a forward of one tensor, calling it says so") {
  struct Empty : nn::Module {
  } empty;
  CHECK(says(error_of([&] { empty(tl::ones({1})); }), "Empty", "forward"));
}

TEST_CASE("module: is printed as a tree") {
  const nn::Sequential model(nn::Conv2d(1, 32, 3, {.padding = 1}), nn::ReLU(), nn::MaxPool2d(2),
                             nn::Sequential(nn::Flatten(), nn::Linear(8, 2, {.bias = false})),
                             nn::Dropout(0.25), nn::LayerNorm(2),
                             [](const tl::Tensor& x) { return x; });
  std::ostringstream out;
  out << model;
  CHECK(out.str() == R"(Sequential(
  (0): Conv2d(1, 32, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
  (1): ReLU()
  (2): MaxPool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0), dilation=(1, 1))
  (3): Sequential(
    (0): Flatten(start_dim=1, end_dim=-1)
    (1): Linear(in_features=8, out_features=2, bias=False)
  )
  (4): Dropout(p=0.25)
  (5): LayerNorm((2,), eps=1e-05, elementwise_affine=True)
  (6): Function()
))");
}

TEST_CASE("module list: holds modules under numbers, and gives each as what it is") {
  struct Net : nn::Module {
    nn::ModuleList& blocks = register_module("blocks", nn::ModuleList());
    Net() {
      for (int i = 0; i < 2; ++i) blocks.append(nn::Linear(2, 2));
      blocks.append(std::make_shared<nn::GRU>(2, 3));
    }
  } net;
  CHECK(net.blocks.size() == 3);
  CHECK(names(net.named_parameters())[2] == "blocks.1.weight");
  CHECK(net.blocks[1](tl::ones({1, 2})).shape() == tl::Shape{1, 2});
  CHECK(net.blocks.at<nn::GRU>(2)(tl::ones({4, 1, 2})).h_n.shape() == tl::Shape{1, 1, 3});
  CHECK(says(error_of([&] { net.blocks[3]; }), "ModuleList", "3"));
  CHECK(says(error_of([&] { net.blocks.at<nn::GRU>(0); }), "ModuleList", "Linear"));
  CHECK(says(error_of([&] { net.blocks(tl::ones({1, 2})); }), "ModuleList", "forward"));
  CHECK(nn::ModuleList(nn::ReLU(), nn::Linear(1, 1)).size() == 2);
}

TEST_CASE("module: one that is below itself, and a parameter that is a result, are refused") {
  struct Box : nn::Module {
    void put(const std::string& name, std::shared_ptr<nn::Module> module) {
      register_module(name, std::move(module));
    }
    void learn(const tl::Tensor& value) { register_parameter("w", value); }
  };
  const auto outer = std::make_shared<Box>(), inner = std::make_shared<Box>();
  outer->put("inner", inner);
  CHECK(says(error_of([&] { inner->put("outer", outer); }), "outer", "below"));
  CHECK(says(error_of([&] { inner->put("self", inner); }), "self", "below"));
  outer->put("again", inner);  // the same one twice is fine
  CHECK(outer->parameters().empty());
  const tl::Tensor w = tl::ones({2}).requires_grad_();
  CHECK(says(error_of([&] { outer->learn(w * 2); }), "\"w\"", "leaves"));
}

TEST_CASE("module: what is trained isn't converted to a dtype without gradients, and stays whole") {
  nn::Linear layer(2, 2);
  CHECK(says(error_of([&] { layer.to(tl::float16); }), "Linear", "float16", "requires_grad_(false)"));
  CHECK(layer.bias.dtype() == tl::float32);
  layer.requires_grad_(false);
  CHECK(layer.to(tl::float16).parameters()[0].dtype() == tl::float16);
}
