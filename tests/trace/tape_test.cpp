#include <thread>

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using tl::test::error_of, tl::test::says;
using Counts = std::map<std::string, std::int64_t>;
using Kind = tl::TraceValue::Kind;

namespace {

std::int64_t count_of(const tl::Tape& tape, Kind kind) {
  std::int64_t count = 0;
  for (const tl::TraceValue& value : tape.values()) count += value.kind == kind;
  return count;
}

}  // namespace

TEST_CASE("trace: records say what was computed, on what, and in which order") {
  const tl::Tensor x = tl::ones({2, 3}), w = tl::ones({3, 4});
  const tl::Tape tape = tl::trace([&](const tl::Tensor& in) { return (in.matmul(w) + 1.0).exp(); }, x);
  REQUIRE(tape.records().size() == 3);
  const tl::TraceRecord& product = tape.records()[0];
  CHECK(product.op == "matmul");
  CHECK(product.device == "cpu");
  REQUIRE(product.inputs.size() == 2);
  CHECK(product.inputs[0].shape == tl::Shape{2, 3});
  CHECK(product.inputs[1].shape == tl::Shape{3, 4});
  REQUIRE(product.outputs.size() == 1);
  CHECK(product.outputs[0].shape == tl::Shape{2, 4});
  CHECK(product.outputs[0].dtype == tl::float32);
  CHECK(product.bytes == 4 * (6 + 12 + 8));
  const auto kind_of = [&](const tl::TraceOperand& operand) {
    return tape.values()[static_cast<std::size_t>(operand.value)].kind;
  };
  CHECK(kind_of(product.inputs[0]) == Kind::input);
  CHECK(kind_of(product.inputs[1]) == Kind::weight);
  CHECK(kind_of(product.outputs[0]) == Kind::intermediate);
  CHECK(tape.records()[1].inputs[0].value == product.outputs[0].value);
  CHECK(tape.records()[2].inputs[0].value == tape.records()[1].outputs[0].value);
  double end = 0;
  for (const tl::TraceRecord& record : tape.records()) {
    CHECK(record.seconds > 0);
    CHECK(record.start >= end);
    end = record.start + record.seconds;
  }
  CHECK(tape.seconds() <= end);
  CHECK(tape.outputs().size() == 1);
}

TEST_CASE("trace: count_ops counts, backward included, and nothing outside the trace") {
  const tl::Tensor x = tl::ones({2, 3}, {.requires_grad = true});
  const auto fn = [](const tl::Tensor& in) { return (in * in).sum(); };
  CHECK(tl::trace(fn, x).count_ops() == Counts{{"mul", 1}, {"sum", 1}});
  const tl::Tape with_backward = tl::trace(
      [&](const tl::Tensor& in) {
        const tl::Tensor y = fn(in);
        y.backward();
        return y;
      },
      x);
  CHECK(with_backward.count_ops().at("mul") == 3);
  (x + 1.0).exp();  // after the trace
  CHECK(tl::trace([](const tl::Tensor& in) { return in; }, x).count_ops() == Counts{});
}

TEST_CASE("trace: nested ones; the outer has the records of the inner one, too") {
  tl::Tape inner;
  const tl::Tensor x = tl::ones({4});
  const tl::Tape outer = tl::trace(
      [&](const tl::Tensor& in) {
        const tl::Tensor y = in.exp();
        inner = tl::trace([](const tl::Tensor& z) { return z.log() + z; }, y);
        return inner.outputs()[0].sin();
      },
      x);
  CHECK(inner.count_ops() == Counts{{"add", 1}, {"log", 1}});
  CHECK(outer.count_ops() == Counts{{"add", 1}, {"exp", 1}, {"log", 1}, {"sin", 1}});
  CHECK(inner.values()[0].kind == Kind::input);
  CHECK(count_of(outer, Kind::weight) ==
        0);  // what the inner one computed is no weight to the outer one
  const tl::Tensor z = tl::tensor({0.5, 1, 2, 3});
  const tl::Tensor wanted = (z.exp().log() + z.exp()).sin();
  CHECK(outer.replay(z).to_vector<float>() == wanted.to_vector<float>());
  // A replay inside a trace is traced like anything else.
  const tl::Tape again = tl::trace([&](const tl::Tensor& in) { return outer.replay(in); }, x);
  CHECK(again.count_ops() == outer.count_ops());
  CHECK(again.replay(z).to_vector<float>() == wanted.to_vector<float>());
}

TEST_CASE("trace: an exception passes, and ends the trace") {
  const tl::Tensor x = tl::ones({4});
  const auto failing = [](const tl::Tensor& in) { return in.matmul(tl::ones({5, 5})); };
  CHECK(says(error_of([&] { tl::trace(failing, x); }), "matmul"));
  CHECK(tl::trace([](const tl::Tensor& in) { return in.exp(); }, x).records().size() == 1);
}

TEST_CASE("trace: what other threads compute is not theirs who trace") {
  const tl::Tensor x = tl::ones({4});
  const tl::Tape tape = tl::trace(
      [](const tl::Tensor& in) {
        std::thread([&] { in.cos(); }).join();
        return in.sin();
      },
      x);
  CHECK(tape.count_ops() == Counts{{"sin", 1}});
}

TEST_CASE("trace: peak_bytes is what has to be there at once") {
  const tl::Tensor x = tl::ones({1000});  // 4000 bytes each
  const tl::Tape chain = tl::trace([](const tl::Tensor& in) { return in.exp().sin().cos().exp(); }, x);
  CHECK(chain.peak_bytes() == 2 * 4000);
  const tl::Tape kept = tl::trace(
      [](const tl::Tensor& in) {
        const tl::Tensor a = in.exp(), b = in.sin(), c = in.cos();
        return a + b + c;
      },
      x);
  CHECK(kept.peak_bytes() == 4 * 4000);
  CHECK(tl::Tape().peak_bytes() == 0);
}

TEST_CASE("trace: the summary has a row for each kind of record, with its share") {
  const tl::Tensor x = tl::ones({64, 64}), w = tl::ones({64, 8});
  const tl::Tape tape = tl::trace(
      [&](const tl::Tensor& in) {
        return in.exp().exp().matmul(w) + in.index({0, tl::Slice(0, 8)});
      },
      x);
  const std::string summary = tape.summary();
  CAPTURE(summary);
  CHECK(says(summary, "op ", "calls", "share", "bytes", "matmul", "(64, 64) (64, 8)", "float32",
             "total", "intermediates"));
  std::int64_t lines = 0;
  for (const char c : summary) lines += c == '\n';
  CHECK(lines == 1 + 3 + 2);  // a head, exp twice in one row, matmul, add; two at the end
}

TEST_CASE("trace: what can't be traced is an error") {
  const tl::Tensor x = tl::ones({4});
  const auto sum = [](const std::vector<tl::Tensor>& in) { return in[0] + in[1]; };
  CHECK(says(error_of([&] { tl::trace(sum, {x, x.detach()}); }), "share storage"));
  CHECK(says(error_of([&] { tl::trace(sum, {x, {}}); }), "input 1", "undefined"));
  CHECK(says(error_of([&] { tl::trace([](const tl::Tensor&) { return tl::Tensor(); }, x); }),
             "output 0"));
}
