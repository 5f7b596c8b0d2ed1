// The test device `remote`, driven through its table alone: what the core will rely on.
#include <doctest/doctest.h>
#include <torchlight/error.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "../support/remote/control.h"
#include "loader/call.h"
#include "loader/self_test.h"
#include "plugin_device.h"

using namespace torchlight::loader;
using torchlight::DeviceError;
using torchlight::Error;

namespace {

OpenDevice& remote() {
  static OpenDevice& device = test::open_plugin(REMOTE_PLUGIN);
  return device;
}

const remote_control& control() {
  return *static_cast<const remote_control*>(
      remote().table().extension(remote().handle(), TL_EXT_REMOTE_CONTROL));
}

remote_counters counters() {
  remote_counters all;
  control().count(remote().handle(), &all);
  return all;
}

/// Calls a function of the table. Raises what it means.
template <class Function, class... Arguments> void must(Function function, Arguments... arguments) {
  ErrorText error;
  const std::int32_t status = function(remote().handle(), arguments..., error.get());
  if (status == TL_DECLINED) FAIL(std::string(error.words()));
  check(status, remote(), "test", error);
}

class Stream {
 public:
  Stream() { must(remote().table().stream_open, &stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    ErrorText ignored;
    remote().table().stream_close(remote().handle(), stream_, ignored.get());
  }
  operator tl_stream*() const { return stream_; }
  void sync() const { must(remote().table().stream_sync, stream_); }
  std::int32_t poll() const {
    ErrorText error;
    return remote().table().stream_poll(remote().handle(), stream_, error.get());
  }

 private:
  tl_stream* stream_ = nullptr;
};

/// A vector of floats on the device.
class Vector {
 public:
  Vector(tl_stream* stream, std::int64_t count) : stream_(stream) {
    must(remote().table().allocate, stream, static_cast<std::uint64_t>(count) * sizeof(float),
         &memory_);
    view_.size = sizeof view_;
    view_.dtype = {TL_FLOAT, 32, 1};
    view_.rank = 1;
    view_.base = memory_.base;
    view_.byte_offset = memory_.byte_offset;
    view_.block = memory_.block;
    view_.extent[0] = count;
    view_.stride[0] = 1;
  }
  Vector(tl_stream* stream, const std::vector<float>& values)
      : Vector(stream, static_cast<std::int64_t>(values.size())) {
    write(values);
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() {
    release();
    ErrorText ignored;  // the copy out of host_ must have been made
    remote().table().stream_sync(remote().handle(), stream_, ignored.get());
  }

  void write(const std::vector<float>& values) {
    host_ = values;  // must stay until the copy is done
    copy({host_.data(), nullptr, 0}, memory_, values.size() * sizeof(float), stream_);
  }
  std::vector<float> read(tl_stream* stream) const {
    std::vector<float> values(static_cast<std::size_t>(view_.extent[0]));
    copy(memory_, {values.data(), nullptr, 0}, values.size() * sizeof(float), stream);
    must(remote().table().stream_sync, stream);
    return values;
  }
  void release() {
    if (!memory_.block) return;
    must(remote().table().release, stream_, &memory_);
    memory_.block = nullptr;
  }
  static void copy(const tl_memory& from, const tl_memory& to, std::uint64_t bytes, tl_stream* stream) {
    const tl_copy_args args{sizeof args, 0, from, to, bytes};
    must(remote().table().copy, stream, &args);
  }

  const tl_view* view() const { return &view_; }
  const tl_memory& memory() const { return memory_; }

 private:
  tl_stream* stream_;
  tl_memory memory_{};
  tl_view view_{};
  std::vector<float> host_;
};

void add_scalar(tl_stream* stream, const Vector& input, const Vector& output, double value) {
  tl_map_args args{};
  args.head.size = sizeof args;
  args.fn = TL_MAP_add_scalar;
  args.param_count = 1;
  args.params[0] = value;
  args.input = input.view();
  args.output = output.view();
  must(remote().table().map, stream, &args);
}

/// Sets the delay while it lives.
class Delay {
 public:
  explicit Delay(std::uint32_t microseconds) { control().set_delay(remote().handle(), microseconds); }
  Delay(const Delay&) = delete;
  Delay& operator=(const Delay&) = delete;
  ~Delay() { control().set_delay(remote().handle(), 0); }
};

/// Nothing is done on a stream while it lives, so that the order of things isn't left to luck.
class Pause {
 public:
  explicit Pause(tl_stream* stream) : stream_(stream) { control().pause(remote().handle(), stream); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause() { control().resume(remote().handle(), stream_); }

 private:
  tl_stream* stream_;
};

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("remote: passes the self-test of all it offers, asynchronously") {
  const Delay delay(200);
  for (std::uint32_t primitive = TL_PRIMITIVE_MAP; primitive <= primitive_random; ++primitive) {
    const auto wrong = self_test(remote(), primitive);
    CHECK_MESSAGE(!wrong.has_value(), wrong.value_or(""));
  }
}

TEST_CASE("remote: its memory is out of the host's sight") {
  CHECK(remote().info().memory_space == TL_SPACE_DEVICE);
  CHECK_FALSE(remote().is_host());
  const Stream stream;
  const Vector vector(stream, Floats{1});
  // A write to a pipe from there fails with EFAULT: the same as a fault, without one.
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(::write(ends[1], vector.memory().base, 1) == -1);
  CHECK(errno == EFAULT);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("remote: work is done later, in the order of its stream") {
  const Stream stream;
  const Vector a(stream, Floats{1, 2, 3});
  const Vector b(stream, 3);
  {
    const Pause pause(stream);
    for (int i = 0; i < 3; ++i) add_scalar(stream, i == 0 ? a : b, b, 10);
    CHECK(stream.poll() == TL_NOT_READY);
  }
  CHECK(b.read(stream) == Floats{31, 32, 33});
  CHECK(stream.poll() == TL_OK);
}

TEST_CASE("remote: an event makes one stream wait for another") {
  const Stream first, second;
  const Vector a(first, Floats{1, 2});
  const Vector b(first, Floats{0, 0});
  first.sync();
  tl_event* event = nullptr;
  ErrorText error;
  REQUIRE(remote().table().event_open(remote().handle(), &event, error.get()) == TL_OK);
  {
    const Pause pause(first);
    for (int i = 0; i < 4; ++i) add_scalar(first, i == 0 ? a : b, b, 1);
    must(remote().table().event_record, static_cast<tl_stream*>(first), event);
    CHECK(remote().table().event_poll(remote().handle(), event, error.get()) == TL_NOT_READY);
    must(remote().table().event_wait, static_cast<tl_stream*>(second), event);
    CHECK(second.poll() == TL_NOT_READY);
  }
  CHECK(b.read(second) == Floats{5, 6});
  CHECK(remote().table().event_poll(remote().handle(), event, error.get()) == TL_OK);
  must(remote().table().event_close, event);
}

TEST_CASE("remote: released memory is used again in stream order, and what was in it is gone") {
  const Stream stream;
  auto first = std::make_unique<Vector>(stream, Floats{7, 7, 7, 7});
  const Vector result(stream, 4);
  auto pause = std::make_unique<Pause>(stream);
  add_scalar(stream, *first, result, 1);
  const void* place = first->memory().base;
  first->release();  // before the work on it is done
  const std::uint64_t reused = counters().reused_blocks;
  const Vector second(stream, 4);
  CHECK(second.memory().base == place);
  CHECK(counters().reused_blocks == reused + 1);
  pause.reset();
  CHECK(result.read(stream) == Floats{8, 8, 8, 8});
  for (const float value : second.read(stream)) CHECK(std::isnan(value));
}

TEST_CASE("remote: a use after release is told, at once or late") {
  const Stream stream, other;
  Vector a(stream, Floats{1, 2});
  const Vector b(stream, 2), c(other, 2);
  stream.sync();
  {  // Enqueued in time, but on a stream that nobody made wait.
    const Pause pause(other);
    add_scalar(other, a, c, 1);
    a.release();
    stream.sync();
  }
  CHECK_THROWS_WITH_AS(other.sync(),
                       doctest::Contains("late failure of map: memory was used after its release"),
                       DeviceError);
  tl_map_args args{};
  args.head.size = sizeof args;
  args.fn = TL_MAP_neg;
  args.input = a.view();
  args.output = b.view();
  CHECK_THROWS_WITH_AS(must(remote().table().map, static_cast<tl_stream*>(stream), &args),
                       doctest::Contains("use of released memory"), Error);
}

TEST_CASE("E04: a late failure appears at the next sync, names the operation, and sticks") {
  auto stream = std::make_unique<Stream>();
  const Vector a(nullptr, Floats{1, 2}), b(nullptr, 2);
  must(remote().table().stream_sync, static_cast<tl_stream*>(nullptr));
  control().fail_after(remote().handle(), 1);
  add_scalar(*stream, a, b, 1);
  add_scalar(*stream, a, b, 1);  // the one that fails
  const char* text = "late failure of map: the test wanted it";
  CHECK_THROWS_WITH_AS(stream->sync(), doctest::Contains(text), DeviceError);
  CHECK_THROWS_WITH_AS(stream->sync(), doctest::Contains(text), DeviceError);
  CHECK(stream->poll() == TL_E_DEVICE);
  CHECK_THROWS_WITH_AS(add_scalar(*stream, a, b, 1), doctest::Contains(text), DeviceError);
  stream = std::make_unique<Stream>();  // another one works
  add_scalar(*stream, a, b, 5);
  CHECK(b.read(*stream) == Floats{6, 7});
}

TEST_CASE("remote: views are held against their memory") {
  const Stream stream;
  const Vector a(stream, Floats{1, 2, 3, 4});
  const Vector b(stream, 4);
  tl_view beyond = *a.view();
  beyond.extent[0] = 5;
  tl_view larger = *b.view();
  larger.extent[0] = 5;
  tl_map_args args{};
  args.head.size = sizeof args;
  args.fn = TL_MAP_neg;
  args.input = &beyond;
  args.output = &larger;
  CHECK_THROWS_WITH_AS(must(remote().table().map, static_cast<tl_stream*>(stream), &args),
                       doctest::Contains("reaches outside of its block"), Error);
  tl_view backwards = *a.view();  // negative strides are fine
  backwards.byte_offset += 3 * sizeof(float);
  backwards.stride[0] = -1;
  args.input = &backwards;
  args.output = b.view();
  must(remote().table().map, static_cast<tl_stream*>(stream), &args);
  CHECK(b.read(stream) == Floats{-4, -3, -2, -1});
}

TEST_CASE("remote: memory runs out where a test says so, and comes back") {
  control().set_memory(remote().handle(), counters().live_bytes + 1024);
  const Stream stream;
  CHECK_THROWS_WITH_AS(Vector(stream, 1000), doctest::Contains("out of memory"), DeviceError);
  CHECK_NOTHROW(Vector(stream, 200));
  control().set_memory(remote().handle(), 0);
  CHECK_NOTHROW(Vector(stream, 1000));
}

TEST_CASE("A06: arguments with an unknown tail are declined, unless it is zero") {
  const Stream stream;
  const Vector a(stream, Floats{1, 2}), b(stream, 2);
  struct {
    tl_map_args known;
    char future[64];
  } args{};
  args.known.head.size = sizeof args;
  args.known.fn = TL_MAP_neg;
  args.known.input = a.view();
  args.known.output = b.view();
  ErrorText error;
  const auto call_map = [&] {
    return remote().table().map(remote().handle(), stream, &args.known, error.get());
  };
  CHECK(call_map() == TL_OK);
  CHECK(b.read(stream) == Floats{-1, -2});
  args.future[63] = 1;
  CHECK(call_map() == TL_DECLINED);
  CHECK(std::string(error.words()) == "arguments with something unknown at their end");
}

TEST_CASE("remote: some functions and types are left to others") {
  tl_support answer{sizeof answer, 0, 0};
  ErrorText error;
  tl_view view{};
  view.size = sizeof view;
  view.dtype = {TL_FLOAT, 32, 1};
  tl_map_args args{};
  args.head.size = sizeof args;
  args.input = &view;
  args.output = &view;
  const auto ask = [&](std::uint32_t fn) {
    args.fn = fn;
    return remote().table().supports(remote().handle(), TL_PRIMITIVE_MAP, &args.head, &answer,
                                     error.get());
  };
  CHECK(ask(TL_MAP_exp) == TL_OK);
  CHECK((answer.traits & TL_TRAIT_IN_PLACE) != 0);
  CHECK(ask(TL_MAP_gelu_tanh) == TL_DECLINED);
  CHECK(std::string(error.words()) == "this device doesn't do gelu_tanh");
  view.dtype = {TL_FLOAT, 16, 1};
  CHECK(ask(TL_MAP_exp) == TL_DECLINED);
  CHECK((remote().table().attn_softmax_fw == nullptr));
  CHECK(remote().index_table() == nullptr);
}

TEST_CASE("remote: many streams at once, each with its own results") {
  std::vector<std::thread> threads;
  std::vector<Floats> results(8);
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      const Stream stream;
      const Vector a(stream, Floats{float(t), 1});
      for (int i = 0; i < 20; ++i) {
        Vector b(stream, 2);
        add_scalar(stream, a, b, i);
        add_scalar(stream, b, a, -i);
      }
      results[t] = a.read(stream);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t) CHECK(results[t] == Floats{float(t), 1});
}
