// `remote`: a device for tests whose memory the host can't see into. Its addresses fault when they are
// touched, its streams work on threads of their own, later and later if a test wants so, and its errors
// come late. It offers map, zip, reduce and matmul without some functions, and nothing else, so that the
// core has to compose and to fall back.
#include <torchlight/plugin.h>
#include <algorithm>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "checks.h"
#include "control.h"
#include "device.h"
#include "failure.h"
#include "kernels.h"

TL_PLUGIN_NOTE("remote", "1.0", 0);

namespace remote {
namespace {

std::uint32_t number_from(const char* variable, std::uint32_t otherwise) {
  const char* value = std::getenv(variable);
  return value ? static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10)) : otherwise;
}

std::int32_t device_count(std::uint32_t* count, tl_error*) noexcept {
  *count = number_from("REMOTE_DEVICES", 1);
  return TL_OK;
}

void require_device(std::uint32_t index) {
  if (index != 0) throw bad_argument("there is no device " + std::to_string(index));
}

/// Fills what the caller has room for, and leaves its size alone.
template <class T> void answer(T* given, T full) {
  full.size = given->size;
  std::memcpy(given, &full, std::min<std::size_t>(given->size, sizeof full));
}

std::int32_t device_info(std::uint32_t index, tl_device_info* info, tl_error* error) noexcept {
  return guarded(error, [&] {
    require_device(index);
    tl_device_info full{};
    full.memory_space = TL_SPACE_DEVICE;
    full.alignment = 256;
    std::snprintf(full.description, sizeof full.description,
                  "a test device that the host can't see into");
    answer(info, full);
  });
}

std::int32_t open(std::uint32_t index, tl_device** device, tl_error* error) noexcept {
  return guarded(error, [&] {
    require_device(index);
    *device = new tl_device;
    (*device)->conditions.delay = number_from("REMOTE_DELAY_US", 0);
  });
}

void close(tl_device* device) noexcept { delete device; }

// ---- memory

/// Stands in each function that may be called by one thread at a time for a stream, and finds whoever doesn't
/// keep to that.
class OneCaller {
 public:
  explicit OneCaller(tl_stream& stream) : stream_(stream) {
    if (stream_.callers.fetch_add(1) == 0) return;
    --stream_.callers;
    throw Failure(TL_E_DEVICE, "two threads use one stream at once");
  }
  ~OneCaller() { --stream_.callers; }
  OneCaller(const OneCaller&) = delete;
  OneCaller& operator=(const OneCaller&) = delete;

 private:
  tl_stream& stream_;
};

std::int32_t allocate(tl_device* device, tl_stream* given, std::uint64_t bytes, tl_memory* memory,
                      tl_error* error) noexcept {
  return guarded(error, [&] {
    tl_stream& stream = device->stream(given);
    const std::lock_guard order(device->memory_order);
    bool reused = false;
    tl_block* block = device->memory.allocate(&stream, bytes, reused);
    // Reused storage changes hands when the work before is done.
    if (reused) stream.enqueue({"allocate", [block] { block->storage->owner = block; }, true});
    *memory = {reinterpret_cast<void*>(block->storage->address), block, 0};
  });
}

std::int32_t release(tl_device* device, tl_stream* given, const tl_memory* memory,
                     tl_error* error) noexcept {
  return guarded(error, [&] {
    tl_stream& stream = device->stream(given);
    const std::lock_guard order(device->memory_order);
    Storage* storage = memory->block ? memory->block->storage : nullptr;
    device->memory.release(&stream, memory->block);
    const auto poison = [storage] {
      storage->owner = nullptr;
      std::memset(storage->bytes.get(), 0xff, storage->size);
    };
    stream.enqueue({"release", poison, true});
  });
}

/// The bytes on one side of a copy: the host's, or the device's once it is their turn.
struct Side {
  char* host = nullptr;
  Place place;
  char* data() const { return host ? host : place.data(); }
};

Side side_of(tl_device* device, const tl_memory& memory, std::uint64_t bytes) {
  if (!memory.block) return {static_cast<char*>(memory.base) + memory.byte_offset, {}};
  const auto reach = static_cast<std::int64_t>(bytes);
  return {nullptr, device->memory.locate(memory.block, memory.base, memory.byte_offset, 0, reach)};
}

std::int32_t copy(tl_device* device, tl_stream* stream, const tl_copy_args* args,
                  tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const std::uint64_t bytes = args->bytes;
    if (bytes == 0) return;
    const Side from = side_of(device, args->source, bytes),
               to = side_of(device, args->destination, bytes);
    device->stream(stream).enqueue({"copy", [=] { std::memmove(to.data(), from.data(), bytes); }});
  });
}

// ---- streams and events

std::int32_t stream_open(tl_device* device, tl_stream** stream, tl_error* error) noexcept {
  return guarded(error, [&] { *stream = new tl_stream(device->conditions); });
}

std::int32_t stream_close(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  stream->sync();
  const std::int32_t status = guarded(error, [&] { stream->raise_late(); });
  device->memory.forget_stream(stream);
  delete stream;
  return status;
}

std::int32_t stream_poll(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  return guarded(error, [&] {
    device->stream(stream).raise_late();
    if (!device->stream(stream).is_idle()) throw Failure(TL_NOT_READY, "still working");
  });
}

std::int32_t stream_sync(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    device->stream(stream).sync();
    device->stream(stream).raise_late();
  });
}

std::int32_t event_open(tl_device*, tl_event** event, tl_error* error) noexcept {
  return guarded(error, [&] { *event = new tl_event; });
}

std::int32_t event_close(tl_device*, tl_event* event, tl_error*) noexcept {
  delete event;
  return TL_OK;
}

std::int32_t event_record(tl_device* device, tl_stream* stream, tl_event* event,
                          tl_error* error) noexcept {
  return guarded(error, [&] { event->record(device->stream(stream)); });
}

std::int32_t event_wait(tl_device* device, tl_stream* stream, tl_event* event,
                        tl_error* error) noexcept {
  return guarded(error, [&] { event->let_wait(device->stream(stream)); });
}

std::int32_t event_poll(tl_device*, tl_event* event, tl_error* error) noexcept {
  return guarded(error, [&] {
    if (!event->is_reached()) throw Failure(TL_NOT_READY, "not reached yet");
  });
}

// ---- primitives

std::int32_t supports(tl_device*, std::uint32_t primitive, const tl_args* args, tl_support* given,
                      tl_error* error) noexcept {
  tl_support full{given->size, TL_TRAIT_REPEATABLE | TL_TRAIT_SLOW, 0};
  tl_support* const answer = &full;
  const std::int32_t status = guarded(error, [&] {
    switch (primitive) {
      case TL_PRIMITIVE_MAP: check_map(*reinterpret_cast<const tl_map_args*>(args)); break;
      case TL_PRIMITIVE_ZIP: check_zip(*reinterpret_cast<const tl_zip_args*>(args)); break;
      case TL_PRIMITIVE_REDUCE:
        answer->workspace_bytes = check_reduce(*reinterpret_cast<const tl_reduce_args*>(args));
        return;
      case TL_PRIMITIVE_MATMUL:
        answer->workspace_bytes = check_matmul(*reinterpret_cast<const tl_matmul_args*>(args));
        return;
      default: throw declined("this device has map, zip, reduce and matmul");
    }
    answer->traits |= TL_TRAIT_IN_PLACE;  // element by element, each read before it is written
  });
  if (status == TL_OK) remote::answer(given, full);
  return status;
}

/// The scratch memory that `supports` asked for.
Operand workspace_of(tl_device* device, const tl_args& head, std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (!head.workspace || head.workspace->extent[0] < static_cast<std::int64_t>(bytes))
    throw bad_argument("the workspace is missing or too small");
  return Operand(*device, *head.workspace);
}

double* doubles_of(const Operand& workspace) {
  return workspace.rank == 0 ? nullptr : reinterpret_cast<double*>(workspace.data());
}

std::int32_t map(tl_device* device, tl_stream* stream, const tl_map_args* args,
                 tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    check_map(*args);
    const tl_map_args a = *args;
    const Operand output(*device, *a.output);
    const Operand input = a.input ? Operand(*device, *a.input) : Operand();
    device->stream(stream).enqueue({"map", [=, has_input = a.input != nullptr] {
                                      run_map(a.fn, has_input ? &input : nullptr, output, a.params);
                                    }});
  });
}

std::int32_t zip(tl_device* device, tl_stream* stream, const tl_zip_args* args,
                 tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    check_zip(*args);
    const tl_zip_args a = *args;
    const Operand output(*device, *a.output);
    std::vector<Operand> inputs;
    for (std::uint32_t i = 0; i < a.input_count; ++i) inputs.emplace_back(*device, *a.inputs[i]);
    device->stream(stream).enqueue({"zip", [=] { run_zip(a.fn, inputs, output, a.params); }});
  });
}

std::int32_t reduce(tl_device* device, tl_stream* stream, const tl_reduce_args* args,
                    tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const std::uint64_t bytes = check_reduce(*args);
    const Operand input(*device, *args->input), output(*device, *args->output);
    const Operand scratch = workspace_of(device, args->head, bytes);
    device->stream(stream).enqueue({"reduce", [=, fn = args->fn, axes = args->axis_mask] {
                                      run_reduce(fn, axes, input, output, doubles_of(scratch));
                                    }});
  });
}

std::int32_t matmul(tl_device* device, tl_stream* stream, const tl_matmul_args* args,
                    tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    const std::uint64_t bytes = check_matmul(*args);
    const Operand a(*device, *args->a), b(*device, *args->b), output(*device, *args->output);
    const Operand scratch = workspace_of(device, args->head, bytes);
    device->stream(stream).enqueue({"matmul", [=, alpha = args->alpha, beta = args->beta] {
                                      run_matmul(a, b, output, alpha, beta, doubles_of(scratch));
                                    }});
  });
}

// ---- for tests

void set_delay(tl_device* device, std::uint32_t microseconds) noexcept {
  device->conditions.delay = microseconds;
}
void fail_after(tl_device* device, std::uint32_t pieces) noexcept {
  device->conditions.until_failure = pieces;
}
void set_memory(tl_device* device, std::uint64_t bytes) noexcept { device->memory.limit = bytes; }
void reopen_default_stream(tl_device* device) noexcept { device->default_stream.forgive(); }
void count(tl_device* device, remote_counters* counters) noexcept {
  *counters = {device->memory.live_blocks(), device->memory.live_bytes(),
               device->memory.reused_blocks(), device->conditions.finished};
}
void pause(tl_device* device, tl_stream* stream) noexcept { device->stream(stream).pause(); }
void resume(tl_device* device, tl_stream* stream) noexcept { device->stream(stream).resume(); }

constexpr remote_control control{sizeof(remote_control), 1,     set_delay, fail_after, set_memory,
                                 reopen_default_stream,  count, pause,     resume};

const void* extension(tl_device*, const char* id) noexcept {
  return std::strcmp(id, TL_EXT_REMOTE_CONTROL) == 0 ? &control : nullptr;
}

constexpr tl_backend make_table() {
  tl_backend table{};
  table.size = sizeof table;
  table.abi_major = TL_ABI_MAJOR;
  table.abi_minor = TL_ABI_MINOR;
  table.name = "remote";
  table.version = "1.0";
  table.device_count = device_count;
  table.device_info = device_info;
  table.open = open;
  table.close = close;
  table.allocate = allocate;
  table.release = release;
  table.copy = copy;
  table.stream_open = stream_open;
  table.stream_close = stream_close;
  table.stream_poll = stream_poll;
  table.stream_sync = stream_sync;
  table.event_open = event_open;
  table.event_close = event_close;
  table.event_record = event_record;
  table.event_wait = event_wait;
  table.event_poll = event_poll;
  table.supports = supports;
  table.extension = extension;
  table.map = map;
  table.zip = zip;
  table.reduce = reduce;
  table.matmul = matmul;
  return table;
}

constexpr tl_backend table = make_table();

}  // namespace
}  // namespace remote

std::int32_t torchlight_plugin_v1(const tl_host*, const tl_backend** backend, tl_error*) TL_NOEXCEPT {
  *backend = &remote::table;
  return TL_OK;
}
