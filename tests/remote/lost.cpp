// A program of its own: the device stays lost, and the program ends well all the same, with tensors of it in
// static objects.
#include "small_training.h"
#include "table_calls.h"

namespace {

tl::Tensor& kept() {
  static tl::Tensor tensor = tl::ones({2, 3}, there());
  return tensor;
}

constexpr const char* advice =
    "what was on it is gone: start the program again, from its last checkpoint";

}  // namespace

TEST_CASE("remote: a lost device says so whatever is asked of it, and others go on") {
  const tl::Tensor other = tl::ones({2, 3}, {.device = "remote:1"});
  SmallTraining training("remote");
  CHECK(std::isfinite(training.step()));  // the control: it works until it is lost
  CHECK_NOTHROW(kept());
  control().lose_after(remote_handle(), 0);
  const tl::Tensor sum = kept() + 1;  // enqueued: nothing to see yet
  CHECK_RAISES(sum.to("cpu"), "device remote: device failed: late failure of map: the device is lost",
               advice);
  for (int i = 0; i < 2; ++i) {
    CHECK_RAISES(tl::synchronize("remote"), "synchronize: device remote: ", "the device is lost",
                 advice);
    CHECK_RAISES(kept().to("cpu"), "copy: device remote: ", "the device is lost", advice);
    CHECK_RAISES(kept().fill_(1), "fill: device remote: ", "the device is lost", advice);
    CHECK_RAISES(kept() + 1, "allocating 24 bytes: device remote: ", "the device is lost", advice);
    CHECK_RAISES(tl::ones(3, there()), "allocating 12 bytes: device remote: ", "the device is lost",
                 advice);
    CHECK_RAISES(training.step(), "device remote: ", "the device is lost", advice);
  }
  check_exact(other + 1, {2, 3}, {2, 2, 2, 2, 2, 2});
  CHECK(SmallTraining("remote:1").losses(2) == SmallTraining("cpu").losses(2));
}

TEST_CASE("remote: each function of the table knows that the device is lost") {
  const auto check_lost = [](const Said& said) {
    CHECK(said.status == TL_E_DEVICE);
    CHECK(said.text.find("the device is lost") != std::string::npos);
  };
  tl_stream* const none = nullptr;
  tl_stream* stream = nullptr;
  tl_event* event = nullptr;
  tl_memory memory{};
  check_lost(ask(table().allocate, none, std::uint64_t{64}, &memory));
  check_lost(ask(table().stream_open, &stream));
  check_lost(ask(table().stream_poll, none));
  check_lost(ask(table().stream_sync, none));
  check_lost(ask(table().event_open, &event));
  tl_support answer{sizeof answer, 0, 0};
  tl_map_args args{};
  args.head.size = sizeof args;
  check_lost(ask(table().supports, std::uint32_t{TL_PRIMITIVE_MAP}, &args.head, &answer));
}
