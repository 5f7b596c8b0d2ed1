#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using tl::test::check_close, tl::test::error_of, tl::test::says, tl::test::Scratch;
using Tensors = std::vector<tl::Tensor>;

namespace {

// The same bits.
void check_same(const tl::Tensor& got, const tl::Tensor& wanted) {
  CHECK(got.shape() == wanted.shape());
  CHECK(got.dtype() == wanted.dtype());
  CHECK(got.to_vector<double>() == wanted.to_vector<double>());
}

}  // namespace

TEST_CASE("replay: the same bits as the function, on new inputs, without history") {
  tl::manual_seed(1);
  nn::Sequential model(nn::Conv2d(1, 4, 3, {.padding = 1}), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                       nn::Linear(64, 10), nn::Softmax(-1));
  const tl::Tape tape =
      tl::trace([&](const tl::Tensor& in) { return model(in); }, tl::randn({2, 1, 8, 8}));
  for (int i = 0; i < 3; ++i) {
    const tl::Tensor x = tl::randn({2, 1, 8, 8}), y = tape.replay(x);
    check_same(y, model(x));
    CHECK_FALSE(y.requires_grad());
  }
}

TEST_CASE("replay: weights are those that the model has then") {
  nn::Linear model(3, 2);
  const auto fn = [&](const tl::Tensor& in) { return model(in).tanh(); };
  const tl::Tensor x = tl::ones({4, 3});
  const tl::Tape tape = tl::trace(fn, x);
  {
    const tl::no_grad guard;
    model.parameters()[0].fill_(0.5);  // in place
  }
  check_same(tape.replay(x), fn(x));
  const nn::Linear other(3, 2);
  model.load_state_dict(other.state_dict());
  check_same(tape.replay(x), fn(x));
  model.parameters()[0].set_data(tl::full({2, 3}, -1));  // another storage
  check_same(tape.replay(x), fn(x));
  model.parameters()[1].set_data(
      tl::arange(6).to(tl::float32).slice(0, 3, 5));  // at another place in it
  check_same(tape.replay(x), fn(x));

  model.to(tl::float64);
  CHECK(says(error_of([&] { tape.replay(x); }), "replay", "weight", "float64", "float32"));
}

TEST_CASE("replay: several inputs and outputs, views, writes into parts, empty tensors") {
  const auto fn = [](const Tensors& in) {
    tl::Tensor sum = in[0] + in[1].t();
    sum.index({0, tl::Slice()}).mul_(3);  // a part in place
    const tl::Tensor joined = tl::cat({sum, in[0].flip(1)}, 0);
    return Tensors{joined,
                   in[1],
                   joined.index({tl::Slice({}, {}, 2), tl::Slice(1, 3)}),
                   in[0].slice(0, 2).matmul(in[1]),
                   in[0].slice(1, 0, 0).matmul(in[1].slice(0, 0, 0)),
                   in[0].argmax(1),
                   in[0].expand({2, 2, 3})};
  };
  const Tensors first{tl::randn({2, 3}), tl::randn({3, 2})},
      second{tl::randn({2, 3}), tl::randn({3, 2})};
  const tl::Tape tape = tl::trace(fn, first);
  const Tensors got = tape.replay(second), wanted = fn(second);
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    check_same(got[i], wanted[i]);
  }
  CHECK(got[1].is_view_of(second[1]));  // an input that is given back is the new one
}

TEST_CASE("replay: a whole step of training, backward and the optimizer included") {
  const auto run = [](bool replayed) {
    tl::manual_seed(5);
    nn::Sequential model(nn::Linear(4, 8), nn::ReLU(), nn::LayerNorm(8), nn::Linear(8, 3));
    tl::optim::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
    const auto step = [&](const Tensors& in) {
      optimizer.zero_grad();
      const tl::Tensor loss = nn::functional::cross_entropy(model(in[0]), in[1]);
      loss.backward();
      optimizer.step();
      return loss.detach();
    };
    const auto batch = [] {
      const tl::Tensor x = tl::randn({16, 4});
      return Tensors{x, (x.sum(1) > 0).to(tl::int64)};
    };
    step(batch());  // the momentum's buffers are made here
    const tl::Tape tape = tl::trace(step, batch());
    std::vector<float> losses;
    for (int i = 0; i < 5; ++i)
      losses.push_back((replayed ? tape.replay(batch())[0] : step(batch())).item<float>());
    for (const tl::Tensor& p : model.parameters())
      for (const float value : p.to_vector<float>()) losses.push_back(value);
    return losses;
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("replay: constants of the program are made again, random numbers are those of the trace") {
  const tl::Tensor x = tl::zeros({3});
  const auto fn = [](const tl::Tensor& in) {
    tl::Tensor c = tl::tensor({1., 2., 3.});
    c.add_(in);  // into the constant: the next replay begins anew
    return c;
  };
  const tl::Tape tape = tl::trace(fn, x);
  for (int i = 0; i < 2; ++i) check_close(tape.replay(tl::ones({3})), 3, {2, 3, 4});

  tl::manual_seed(4);
  const tl::Tape noisy = tl::trace([](const tl::Tensor& in) { return in + tl::rand({3}); }, x);
  check_same(noisy.replay(x), noisy.outputs()[0]);
}

TEST_CASE("replay: inputs that don't fit are refused, and strided ones read right") {
  const tl::Tape tape = tl::trace([](const tl::Tensor& in) { return in.sum(0); }, tl::ones({2, 3}));
  const auto refused = [&](const Tensors& in, const auto&... parts) {
    CHECK(says(error_of([&] { tape.replay(in); }), "replay", parts...));
  };
  refused({}, "0 inputs", "1");
  refused({tl::ones({3, 2})}, "input 0", "(3, 2)", "(2, 3)");
  refused({tl::ones({2, 3}, {.dtype = tl::float64})}, "float64");
  refused({tl::Tensor()}, "undefined");
  check_close(tape.replay(tl::tensor({{1, 2}, {3, 4}, {5, 6}}).to(tl::float32).t()), 3, {3, 7, 11});
  const tl::Tensor part = tl::arange(12).to(tl::float32).reshape({4, 3}).slice(0, 2);
  check_close(tape.replay(part), 3, {15, 17, 19});

  const tl::Tensor turned = tl::ones({3, 2}).t();
  const tl::Tape of_turned = tl::trace([](const tl::Tensor& in) { return in.sum(0); }, turned);
  check_close(of_turned.replay(turned), 3, {2, 2, 2});
  CHECK(says(error_of([&] { of_turned.replay(tl::ones({2, 3})); }), "strides", "contiguous()"));
}

TEST_CASE("replay: memory that the program filled itself is no part of a tape, and that is said") {
  const auto fn = [](const tl::Tensor& in) {
    const tl::Tensor own = tl::empty({3});
    for (int i = 0; i < 3; ++i) own.data<float>()[i] = 1;
    return in.exp() + own;
  };
  const tl::Tensor x = tl::ones({3});
  const tl::Tape tape = tl::trace(fn, x);
  CHECK(says(error_of([&] { tape.replay(x); }), "replay", "record 1 (add)", "data<T>()"));
  CHECK(tape.records().size() == 2);  // to look at it is as good as any
}

TEST_CASE("replay: a tape keeps what it needs and nothing else") {
  const tl::Tensor x = tl::ones({3});
  tl::Tape tape;
  {
    const tl::Tensor w = tl::full({3}, 4);
    tape = tl::trace([&](const tl::Tensor& in) { return in * w; }, x);
  }
  tl::full({3}, 9);  // would come to lie where w was
  check_close(tape.replay(x), 3, {4, 4, 4});
  CHECK(says(error_of([&] { tl::Tape().replay(x); }), "replay"));
}

TEST_CASE("replay: a tape from a file says that it can't") {
  const Scratch scratch;
  const tl::Tensor x = tl::ones({3});
  tl::trace([](const tl::Tensor& in) { return in.exp(); }, x).save(scratch.file("a.json"));
  CHECK(says(error_of([&] { tl::Tape::load(scratch.file("a.json")).replay(x); }), "replay", "file"));
}

TEST_CASE("replay: a part of a tensor is no input of its own, and nothing reaches beyond a storage") {
  const tl::Tensor whole = tl::ones({50, 4});
  const auto traced = [&](const tl::Tensor& input) {
    return error_of(
        [&] { tl::trace([&](const tl::Tensor& x) { return x + whole[49].sum(); }, input); });
  };
  CHECK(says(traced(whole.slice(0, 0, 2)), "trace", "part of a larger tensor", "clone()"));
  CHECK(says(traced(whole.slice(0, 3, 5)), "part of a larger tensor"));
  CHECK(traced(whole.slice(0, 0, 2).clone()) == "");

  const tl::Tensor weight = tl::ones({4, 4});
  const tl::Tensor view = weight.t()[0];  // every fourth element
  const tl::Tape tape = tl::trace([&](const tl::Tensor& x) { return x + view; }, tl::zeros({4}));
  CHECK(tape.replay(tl::zeros({4})).sum().item<float>() == 4);
}
