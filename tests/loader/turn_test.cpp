#include "loader/turn.h"

#include <doctest/doctest.h>
#include <torchlight/error.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

using torchlight::DeviceError;
using torchlight::loader::Turn;

TEST_CASE("turn: one at a time") {
  Turn turn;
  int inside = 0;
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      const Turn::Hold hold(turn, "x");
      if (++inside > most) most = inside;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --inside;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
}

TEST_CASE("turn: a wait that leads nowhere ends with an error, and the next one is fine") {
  Turn turn(std::chrono::milliseconds(50));
  std::optional<Turn::Hold> hold(std::in_place, turn, "device x");
  std::thread([&] {
    CHECK_THROWS_WITH_AS(Turn::Hold(turn, "device x"), doctest::Contains("device x: gave up waiting"),
                         DeviceError);
  }).join();
  hold.reset();
  CHECK_NOTHROW(Turn::Hold(turn, "device x"));
}
