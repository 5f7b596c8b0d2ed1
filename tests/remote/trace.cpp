#include "remote_device.h"

namespace {

void check_replay(const tl::Tape& tape, const std::function<tl::Tensor(const tl::Tensor&)>& fn,
                  const tl::Tensor& x) {
  const tl::Tensor wanted = fn(x), got = tape.replay(x);
  CHECK(got.device() == wanted.device());
  CHECK(got.shape() == wanted.shape());
  CHECK(got.to_vector<float>() == wanted.to_vector<float>());
}

}  // namespace

TEST_CASE("trace: on a device that the host can't see into, and across") {
  const tl::Tensor w = tl::randn({3, 4}, there());
  const auto fn = [&](const tl::Tensor& x) {
    const tl::Tensor away = x.t().to("remote").slice(0, 1).matmul(w.slice(0, 0, 2)).exp();
    return away.to("cpu").sum(0) + tl::tensor({1., 2., 3., 4.}, there()).to("cpu");
  };
  const tl::Tape tape = tl::trace(fn, tl::randn({2, 3}));
  CHECK(tape.count_ops().at("to") == 3);
  CHECK(tape.count_ops().at("from host") == 1);
  std::vector<std::string> devices;
  for (const tl::TraceRecord& record : tape.records()) devices.push_back(record.device);
  CHECK(std::count(devices.begin(), devices.end(), "remote") >= 4);
  CHECK(std::count(devices.begin(), devices.end(), "cpu") >= 2);
  for (int i = 0; i < 2; ++i) check_replay(tape, fn, tl::randn({2, 3}));
  const tl::no_grad guard;
  tl::Tensor(w).fill_(0.25);
  check_replay(tape, fn, tl::randn({2, 3}));
}

TEST_CASE("trace: an operation that falls back is one record, not what stands in for it") {
  const auto fn = [](const tl::Tensor& x) { return x.cumsum(0); };  // remote has no scan
  const tl::Tape tape = tl::trace(fn, tl::ones({4}, there()));
  REQUIRE(tape.records().size() == 1);
  CHECK(tape.records()[0].op == "cumsum");
  CHECK(tape.records()[0].device == "remote");
  check_replay(tape, fn, tl::randn({4}, there()));
}
