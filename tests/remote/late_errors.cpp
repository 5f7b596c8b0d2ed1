#include <atomic>
#include <mutex>
#include <thread>

#include "remote_device.h"

TEST_CASE("remote: work goes on while the host waits, and a result waits for its work") {
  control().set_delay(remote_handle(), 2000);
  tl::Tensor x = tl::ones({4, 4}, there());
  for (int i = 0; i < 10; ++i) x = x * 2;
  CHECK(x.sum().item<double>() == 16 * 1024);
  control().set_delay(remote_handle(), 0);
}

TEST_CASE("remote: memory is released in stream order and used again while its work is still waiting") {
  control().set_delay(remote_handle(), 500);
  const std::uint64_t before = counters().live_bytes;
  tl::Tensor sum = tl::zeros(1000, there());
  for (int i = 0; i < 20; ++i) sum = sum + tl::full(1000, i, there());  // each term is dropped at once
  check_exact(sum.slice(0, 0, 2), 2, {190, 190});
  sum = {};
  control().set_delay(remote_handle(), 0);
  tl::synchronize("remote");
  CHECK(counters().live_bytes == before);
  CHECK(counters().reused_blocks > 0);
}

TEST_CASE("remote: a late failure appears where the host waits, names the operation, and stays") {
  const tl::Tensor x = tl::ones(4, there());
  tl::synchronize("remote");
  control().fail_after(remote_handle(), 0);
  const tl::Tensor y = x.exp();  // enqueued: nothing to see yet
  CHECK_RAISES(y.to("cpu"), "remote", "map");
  CHECK_RAISES(tl::synchronize("remote"), "remote");
  control().reopen_default_stream(remote_handle());
  check_exact(x + 1, 4, {2, 2, 2, 2});
}

TEST_CASE("remote: no memory is an error that says how much was asked for, and all is well after it") {
  control().set_memory(remote_handle(), counters().live_bytes + 4096);
  CHECK_RAISES(tl::ones(1 << 20, there()), "4194304");
  control().set_memory(remote_handle(), 0);
  CHECK(tl::ones(1 << 20, there()).sum().item<double>() == (1 << 20));
}

TEST_CASE(
    "remote: threads that compute at once keep to one caller for the stream, and get their own "
    "results") {
  constexpr int count = 4;
  const auto result = [](int which) {
    const tl::Tensor x = tl::full({20, 30}, which, there());
    return (x.matmul(x.t()) + x.sum(1, true)).to("cpu").to_vector<float>();
  };
  std::vector<std::vector<float>> wanted;
  for (int i = 0; i < count; ++i) wanted.push_back(result(i));
  std::atomic<int> wrong{0};
  std::mutex mutex;
  std::string errors;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        try {
          for (int round = 0; round < 100; ++round)
            if (result(i) != wanted[static_cast<std::size_t>(i)]) ++wrong;
        } catch (const std::exception& error) {
          const std::lock_guard lock(mutex);
          errors += error.what();
        }
      });
  }
  CHECK(errors == "");
  CHECK(wrong == 0);
}
