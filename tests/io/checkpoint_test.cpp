#include <algorithm>

#include <torchlight/torchlight.h>

#include "support/scratch.h"
#include "support/tensor_checks.h"
#include "training_run.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using Run = tl::test::TrainingRun;
using tl::test::error_of, tl::test::read_file, tl::test::says, tl::test::Scratch;

namespace {

// Every bit of a run, as bytes of a file.
std::string bits(const Run& run) {
  const Scratch scratch;
  run.state.save(scratch.file("bits"));
  return read_file(scratch.file("bits"));
}

}  // namespace

TEST_CASE("checkpoint: restored, a run goes on bit for bit") {
  const Scratch scratch;
  for (const char* name : {"a.safetensors", "a.npz"}) {
    const std::string path = scratch.file(name);
    tl::manual_seed(3);
    Run whole;
    whole.train(10);
    whole.state.save(path);
    whole.train(10);

    tl::manual_seed(99);  // whatever a new process begins with
    Run resumed;
    CHECK(bits(resumed) != bits(whole));
    resumed.state.load(path);
    CHECK(resumed.state.epoch == 2);
    CHECK(resumed.state.step == 10);
    resumed.train(10);
    CHECK(bits(resumed) == bits(whole));
    CHECK(resumed.state.values.at("last loss") == whole.state.values.at("last loss"));
  }
}

TEST_CASE("checkpoint: a rate set by hand is restored, although the schedule knows another") {
  const Scratch scratch;
  Run run;
  run.train(6);
  run.optimizer.set_lr(0.125, 1);
  run.state.save(scratch.file("a"));
  Run resumed;
  resumed.state.load(scratch.file("a"));
  CHECK(resumed.optimizer.lr(1) == 0.125);
  CHECK(resumed.optimizer.lr(0) == run.optimizer.lr(0));
}

TEST_CASE("checkpoint: values, tensors, generators and classes of one's own") {
  struct Counter {
    std::int64_t count = 0;
    tl::StateDict state_dict() const { return {{"count", tl::tensor(count)}}; }
    void load_state_dict(const tl::StateDict& dict) { count = dict.at(0).tensor.item<std::int64_t>(); }
  };
  const Scratch scratch;
  const std::string path = scratch.file("a");
  Counter counter{7};
  tl::Generator noise{0xFFFF'FFFF'FFFF'FFF1, 0x8000'0000'0000'0005};
  tl::Checkpoint first;
  first.add("counter", counter);
  first.add("noise", noise);
  first.values = {{"best", 0.1}, {"a.b", -1e300}};
  first.tensors = {{"history", tl::arange(3)}, {"a.b", tl::ones({2})}};
  first.epoch = -1;
  first.save(path);

  counter.count = 0;
  noise = {};
  tl::Checkpoint second;
  second.add("counter", counter);
  second.add("noise", noise);
  second.values = {{"old", 1}};
  second.load(path);
  CHECK(counter.count == 7);
  CHECK(noise.seed == 0xFFFF'FFFF'FFFF'FFF1);
  CHECK(noise.offset == 0x8000'0000'0000'0005);
  CHECK(second.values == first.values);
  REQUIRE(second.tensors.size() == 2);
  CHECK(second.tensors[0].tensor.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 1, 2});
  CHECK(second.epoch == -1);
}

TEST_CASE("checkpoint: other programs find the weights under plain names") {
  const Scratch scratch;
  Run run;
  run.state.save(scratch.file("a.safetensors"));
  const tl::StateDict dict = tl::load(scratch.file("a.safetensors"));
  const auto has = [&](const std::string& name) {
    return std::any_of(dict.begin(), dict.end(), [&](const auto& entry) { return entry.name == name; });
  };
  CHECK(has("model.0.weight"));
  CHECK(has("model.1.running_mean"));
  CHECK(has("schedule.last_epoch"));
  CHECK(has("generator.offset"));
}

TEST_CASE("checkpoint: what doesn't fit is refused, and everything is as it was") {
  const Scratch scratch;
  const std::string path = scratch.file("a");
  Run saved;
  saved.train(7);
  saved.state.save(path);

  // The schedule and the optimizer are restored before the model, which then refuses.
  struct Other {
    Run small;
    nn::Sequential model{nn::Linear(4, 9), tl::test::Centre(9), nn::ReLU(), nn::Linear(9, 2)};
    tl::Checkpoint state;
  } other;
  other.state.add("model", other.model);
  other.state.add("optimizer", other.small.optimizer);
  other.state.add("schedule", other.small.schedule);
  other.state.epoch = 5;
  const auto generator = tl::default_generator().offset;
  const auto weights = other.model.parameters()[0].to_vector<float>();
  const std::string error = error_of<tl::FileError>([&] { other.state.load(path); });
  CAPTURE(error);
  CHECK(says(error, path, "part \"model\"", "0.weight", "(9, 4)", "(8, 4)"));
  CHECK(tl::default_generator().offset == generator);
  CHECK(other.state.epoch == 5);
  CHECK(other.state.values.empty());
  CHECK(other.small.optimizer.lr(0) == 0.02);
  CHECK(other.small.optimizer.state_dict().size() == Run().optimizer.state_dict().size());
  CHECK(other.small.schedule.last_epoch() == 0);
  CHECK(other.model.parameters()[0].to_vector<float>() == weights);
}

TEST_CASE("checkpoint: an exception from a function of the user's leaves everything as it was, too") {
  const Scratch scratch;
  const std::string path = scratch.file("a");
  const std::vector<double> rates{1, 0.5};
  struct Small {
    nn::Linear model{2, 2};
    tl::optim::SGD optimizer{model.parameters(), {.lr = 0.1}};
    tl::optim::LambdaLR schedule;
    tl::Checkpoint state;
    explicit Small(std::function<double(std::int64_t)> rate) : schedule(optimizer, std::move(rate)) {
      state.add("schedule", schedule);  // the first is restored last
      state.add("model", model);
    }
  };
  Small saved([](std::int64_t) { return 1.0; });
  for (int i = 0; i < 5; ++i) {
    saved.optimizer.step();
    saved.schedule.step();
  }
  saved.state.save(path);

  Small other([&](std::int64_t epoch) { return rates.at(static_cast<std::size_t>(epoch)); });
  const auto weights = other.model.weight.to_vector<float>();
  CHECK_THROWS_AS(other.state.load(path), std::out_of_range);
  CHECK(other.model.weight.to_vector<float>() == weights);
  CHECK(other.schedule.last_epoch() == 0);
}

TEST_CASE("checkpoint: files that are none, parts that nobody added, names that can't be") {
  const Scratch scratch;
  Run run;
  const auto refused = [&](const tl::StateDict& dict, const auto&... parts) {
    tl::save(dict, scratch.file("a"));
    const std::string error = error_of<tl::FileError>([&] { run.state.load(scratch.file("a")); });
    CAPTURE(error);
    CHECK(says(error, "/a: ", parts...));
  };
  refused(run.model.state_dict(), "no checkpoint");
  refused({{"weight", tl::ones({1})}}, "no checkpoint", "weight");
  const tl::Tensor one = tl::tensor(1), many = tl::ones({2});
  refused({{"checkpoint.version", tl::tensor(2)}}, "version is 2");
  refused({{"checkpoint.version", tl::tensor(1.5)}}, "version");
  refused({{"checkpoint.version", one}}, "epoch");
  refused({{"checkpoint.version", one}, {"checkpoint.epoch", one}, {"checkpoint.step", many}}, "step");
  const tl::StateDict empty{
      {"checkpoint.version", one}, {"checkpoint.epoch", one}, {"checkpoint.step", one}};
  refused(empty, "part \"schedule\"", "last_epoch");
  tl::StateDict with_more = empty;
  with_more.push_back({"ema\x1b.weight", one});
  refused(with_more, "ema\\x1b", "not added");

  nn::Linear part(1, 1);
  for (const char* name : {"", "a.b", "model", "generator", "checkpoint", "values", "tensors"})
    CHECK(says(error_of([&] { run.state.add(name, part); }), "checkpoint", name));
  CHECK(says(error_of<tl::FileError>([&] { run.state.load(scratch.file("none")); }), "none"));
}
