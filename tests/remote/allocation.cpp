#include "small_training.h"
#include "table_calls.h"

TEST_CASE(
    "remote: whichever allocation of two training steps fails, an error says how much was asked for, "
    "nothing leaks, and the next step works") {
  const std::vector<double> right = SmallTraining("remote").losses(2);
  tl::synchronize("remote");
  const std::uint64_t blocks = counters().live_blocks, before = counters().allocations;
  CHECK(SmallTraining("remote").losses(2) == right);  // the control: nothing fails by itself
  const std::uint64_t count = counters().allocations - before;
  CHECK(count > 60);
  for (std::uint32_t i = 0; i < count; ++i) {
    CAPTURE(i);
    {
      std::unique_ptr<SmallTraining> training;
      control().fail_allocation_after(remote_handle(), i);
      const std::string said = error_of([&] {
        training = std::make_unique<SmallTraining>("remote");
        training->losses(2);
      });
      control().forget_failures(remote_handle());
      REQUIRE_MESSAGE(!said.empty(), "allocation without an effect");
      CHECK_RAISES(throw tl::Error(said), "allocating ", " bytes: device remote: out of memory");
      if (training) CHECK(std::isfinite(training->step()));
    }
    tl::synchronize("remote");
    CHECK(counters().live_blocks == blocks);
  }
  CHECK(SmallTraining("remote").losses(2) == right);
}
