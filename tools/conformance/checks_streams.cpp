#include <functional>
#include <stdexcept>
#include <vector>

#include "checks.h"

namespace torchlight::test {
namespace {

constexpr std::int64_t elements = 1 << 16;
constexpr int rounds = 20;

/// What a plug-in declines can't be asked about here.
struct Declined {};

/// Float32 vectors on the device, and the two operations whose order shows in their values.
class Lines {
 public:
  explicit Lines(const Plugin& plugin) : plugin_(plugin), table_(plugin.table()) {}

  tl_stream* open() {
    tl_stream* stream = nullptr;
    require("stream_open", table_.stream_open(plugin_.device(), &stream, error_.get()));
    return stream;
  }
  void close(tl_stream* stream) {
    require("stream_close", table_.stream_close(plugin_.device(), stream, error_.get()));
  }
  tl_memory allocate(tl_stream* stream) {
    tl_memory memory{};
    require("allocate",
            table_.allocate(plugin_.device(), stream, elements * sizeof(float), &memory, error_.get()));
    return memory;
  }
  void release(tl_stream* stream, const tl_memory& memory) {
    require("release", table_.release(plugin_.device(), stream, &memory, error_.get()));
  }
  void fill(tl_stream* stream, const tl_memory& memory, double value) {
    const tl_view view = view_of(memory);
    const tl_map_args args{{sizeof args, 0, nullptr}, TL_MAP_fill, 1, nullptr, &view, {value, 0, 0, 0}};
    require("map", table_.map(plugin_.device(), stream, &args, error_.get()));
  }
  void add(tl_stream* stream, const tl_memory& x, const tl_memory& y, const tl_memory& sum) {
    const tl_view a = view_of(x), b = view_of(y), out = view_of(sum);
    const tl_zip_args args{{sizeof args, 0, nullptr}, TL_ZIP_add, 2, {&a, &b, nullptr}, &out, 0, 0, {}};
    require("zip", table_.zip(plugin_.device(), stream, &args, error_.get()));
  }
  void sync(tl_stream* stream) {
    require("stream_sync", table_.stream_sync(plugin_.device(), stream, error_.get()));
  }
  /// How many elements aren't `value` when the stream has brought them.
  std::int64_t others_than(tl_stream* stream, const tl_memory& memory, float value) {
    std::vector<float> here(elements, -1);
    const tl_copy_args args{
        sizeof args, 0, memory, {here.data(), nullptr, 0}, elements * sizeof(float)};
    require("copy", table_.copy(plugin_.device(), stream, &args, error_.get()));
    sync(stream);
    return elements - std::count(here.begin(), here.end(), value);
  }
  /// Makes `after` wait for what `before` has to do now: by an event, or by waiting here.
  void order(tl_stream* before, tl_stream* after) {
    if (!table_.event_open || !table_.event_record || !table_.event_wait || !table_.event_close)
      return sync(before);
    tl_event* event = nullptr;
    tl_device* const device = plugin_.device();
    require("event_open", table_.event_open(device, &event, error_.get()));
    require("event_record", table_.event_record(device, before, event, error_.get()));
    require("event_wait", table_.event_wait(device, after, event, error_.get()));
    require("event_close", table_.event_close(device, event, error_.get()));
  }
  void poll_until_done(tl_stream* stream) {
    std::int32_t status = TL_NOT_READY;
    while (status == TL_NOT_READY)  // whoever starts this process has patience, and not without end
      status = table_.stream_poll(plugin_.device(), stream, error_.get());
    require("stream_poll", status);
  }

 private:
  void require(const char* what, std::int32_t status) {
    if (status == TL_DECLINED) throw Declined{};
    if (status != TL_OK) throw std::runtime_error(std::string(what) + " fails: " + error_.text());
  }
  static tl_view view_of(const tl_memory& memory) {
    tl_view view{};
    view.size = sizeof view;
    view.dtype = {TL_FLOAT, 32, 1};
    view.rank = 1;
    view.base = memory.base, view.block = memory.block, view.byte_offset = memory.byte_offset;
    view.extent[0] = elements, view.stride[0] = 1;
    return view;
  }

  const Plugin& plugin_;
  const tl_backend& table_;
  ErrorText error_;
};

std::string told(const char* what, std::int64_t wrong) {
  return wrong == 0 ? ""
                    : std::string(what) + ": " + std::to_string(wrong) + " of " +
                          std::to_string(elements) + " elements are wrong";
}

/// One stream fills, another one adds when an event says so.
std::string check_order(Lines& lines, tl_stream* first, tl_stream* second) {
  const tl_memory x = lines.allocate(first), sum = lines.allocate(second);
  std::int64_t wrong = 0;
  for (int round = 1; round <= rounds && wrong == 0; ++round) {
    lines.order(second, first);  // x isn't read any more
    lines.fill(first, x, round);
    lines.order(first, second);
    lines.add(second, x, x, sum);
    wrong = lines.others_than(second, sum, static_cast<float>(2 * round));
  }
  lines.release(first, x);
  lines.release(second, sum);
  return told("a stream that waits for another one's event", wrong);
}

/// What is released while work on it waits may be handed out again, and the work still reads the old values.
std::string check_release(Lines& lines, tl_stream* stream) {
  std::int64_t wrong = 0;
  for (int round = 1; round <= rounds && wrong == 0; ++round) {
    const tl_memory x = lines.allocate(stream), sum = lines.allocate(stream);
    lines.fill(stream, x, round);
    lines.add(stream, x, x, sum);
    lines.release(stream, x);
    const tl_memory next = lines.allocate(stream);
    lines.fill(stream, next, -round);
    wrong = lines.others_than(stream, sum, static_cast<float>(2 * round));
    lines.release(stream, next);
    lines.release(stream, sum);
  }
  return told("memory released while work on it waits", wrong);
}

}  // namespace

std::string check_streams(const Plugin& plugin) {
  if (plugin.is_host()) return {};  // its work is done when a call returns
  Lines lines(plugin);
  try {
    tl_stream* const first = lines.open();
    tl_stream* const second = lines.open();
    std::string text = check_order(lines, first, second);
    if (text.empty()) text = check_order(lines, nullptr, second);
    if (text.empty()) text = check_release(lines, first);
    lines.poll_until_done(first);
    lines.close(first);
    lines.close(second);
    return text;
  } catch (const Declined&) {
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace torchlight::test
