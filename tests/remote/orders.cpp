// Random delays: work is done at other times with each seed, and the results are the same.
#include <cstring>
#include <mutex>
#include <thread>

#include "small_training.h"
#include "table_calls.h"

namespace {

/// Random delays while it lives.
class Random {
 public:
  Random(std::uint32_t microseconds, std::uint64_t seed) {
    control().set_delay(remote_handle(), microseconds);
    control().set_seed(remote_handle(), seed);
  }
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  ~Random() {
    control().set_delay(remote_handle(), 0);
    control().set_seed(remote_handle(), 0);
  }
};

void add_one(tl_stream* stream, TableMemory& memory) {
  tl_map_args args{};
  args.head.size = sizeof args;
  args.fn = TL_MAP_add_scalar;
  args.param_count = 1;
  args.params[0] = 1;
  args.input = args.output = memory.floats({1});
  REQUIRE(ask(table().map, stream, &args).status == TL_OK);
}

float first_of(TableMemory& memory) {
  float value = 0;
  std::memcpy(&value, memory.host().data(), sizeof value);
  return value;
}

}  // namespace

TEST_CASE("remote: delays are random with a seed, and all the same without") {
  const TableStream stream;
  TableMemory memory(64);
  const auto delayed = [&](std::uint64_t seed) {
    const Random random(100, seed);
    const remote_counters before = counters();
    for (int i = 0; i < 50; ++i) add_one(stream.get(), memory);
    CHECK(stream.sync().status == TL_OK);
    CHECK(counters().finished - before.finished == 50);
    return counters().delayed - before.delayed;
  };
  CHECK(delayed(0) == 50 * 100);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::uint64_t sum = delayed(seed);
    CHECK(sum > 50 * 20);
    CHECK(sum < 50 * 80);
  }
}

TEST_CASE("C11: streams that wait for each other's events keep their order, whatever the delays") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const TableStream streams[3];
    TableMemory memory(64);
    tl_event* event = nullptr;
    REQUIRE(ask(table().event_open, &event).status == TL_OK);
    const Random random(150, seed);
    for (int i = 0; i < 12; ++i) {
      tl_stream* stream = streams[i % 3].get();
      add_one(stream, memory);
      CHECK(ask(table().event_record, stream, event).status == TL_OK);
      CHECK(ask(table().event_wait, streams[(i + 1) % 3].get(), event).status == TL_OK);
    }
    CHECK(memory.read(streams[0].get()).status == TL_OK);
    CHECK(streams[0].sync().status == TL_OK);
    CHECK(first_of(memory) == 12);
    while (ask(table().event_poll, event).status == TL_NOT_READY) {
    }
    CHECK(ask(table().event_close, event).status == TL_OK);
  }
}

TEST_CASE("C11: the control: without the event the second stream comes too early") {
  const TableStream first, second;
  TableMemory memory(64);
  control().pause(remote_handle(), first.get());
  add_one(first.get(), memory);
  CHECK(memory.read(second.get()).status == TL_OK);
  CHECK(second.sync().status == TL_OK);
  CHECK(first_of(memory) == 0);
  control().resume(remote_handle(), first.get());
  CHECK(first.sync().status == TL_OK);
}

TEST_CASE("remote: training gives cpu's losses to the bit, whatever the delays") {
  const std::vector<double> right = SmallTraining("cpu").losses(5);
  CHECK(right[4] < right[0]);
  CHECK(SmallTraining("remote").losses(5) == right);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const Random random(60, seed);
    CHECK(SmallTraining("remote").losses(5) == right);
  }
}

TEST_CASE("remote: threads that train at once get their own losses, whatever the delays") {
  const std::vector<double> right = SmallTraining("cpu").losses(3);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const Random random(30, seed);
    std::mutex mutex;
    std::vector<std::vector<double>> all;
    std::string errors;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
          const std::string error = error_of([&] {
            const std::vector<double> losses = SmallTraining("remote").losses(3);
            const std::lock_guard lock(mutex);
            all.push_back(losses);
          });
          const std::lock_guard lock(mutex);
          errors += error;
        });
    }
    CHECK(errors == "");
    CHECK(all == std::vector<std::vector<double>>(4, right));
  }
}
