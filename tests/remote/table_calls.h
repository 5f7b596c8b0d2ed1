#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "remote_device.h"

/// Calls of the device's table without the library between, for one device and any stream.
inline const tl_backend& table() { return torchlight::loader::open("remote").table(); }

struct Said {
  std::int32_t status;
  std::string text;
};
/// Calls a function that takes its error last.
template <class Function, class... Arguments> Said ask(Function function, Arguments... arguments) {
  torchlight::loader::ErrorText error;
  const std::int32_t status = function(remote_handle(), arguments..., error.get());
  return {status, std::string(error.words())};
}

class TableStream {
 public:
  TableStream() { REQUIRE(ask(table().stream_open, &stream_).status == TL_OK); }
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;
  ~TableStream() { ask(table().stream_close, stream_); }
  tl_stream* get() const { return stream_; }
  Said sync() const { return ask(table().stream_sync, stream_); }
  /// Polls until the work is done.
  Said poll() const {
    for (;;)
      if (Said said = ask(table().stream_poll, stream_); said.status != TL_NOT_READY) return said;
  }

 private:
  tl_stream* stream_ = nullptr;
};

/// Memory of the device and views of it that live as long; zeros at first.
class TableMemory {
 public:
  explicit TableMemory(std::uint64_t bytes) : host_(bytes, 0) {
    REQUIRE(ask(table().allocate, none, bytes, &memory_).status == TL_OK);
    REQUIRE(write(none).status == TL_OK);
    REQUIRE(ask(table().stream_sync, none).status == TL_OK);
  }
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;
  ~TableMemory() { ask(table().release, none, &memory_); }

  Said write(tl_stream* stream) {
    const tl_copy_args args{sizeof args, 0, {host_.data(), nullptr, 0}, memory_, host_.size()};
    return ask(table().copy, stream, &args);
  }
  Said read(tl_stream* stream) {
    const tl_copy_args args{sizeof args, 0, memory_, {host_.data(), nullptr, 0}, host_.size()};
    return ask(table().copy, stream, &args);
  }
  const tl_view* view(tl_dtype dtype, const std::vector<std::int64_t>& extent) {
    tl_view& view = views_.emplace_back();
    view.size = sizeof view;
    view.dtype = dtype;
    view.rank = static_cast<std::uint32_t>(extent.size());
    view.base = memory_.base;
    view.byte_offset = memory_.byte_offset;
    view.block = memory_.block;
    std::int64_t stride = 1;
    for (std::size_t d = extent.size(); d-- > 0; stride *= extent[d]) {
      view.extent[d] = extent[d];
      view.stride[d] = stride;
    }
    return &view;
  }
  const tl_view* floats(const std::vector<std::int64_t>& extent) {
    return view({TL_FLOAT, 32, 1}, extent);
  }
  const tl_memory& memory() const { return memory_; }
  /// What was written last, or read.
  std::vector<char>& host() { return host_; }

 private:
  static constexpr tl_stream* none = nullptr;  // the default stream
  std::vector<char> host_;
  tl_memory memory_{};
  std::deque<tl_view> views_;
};
