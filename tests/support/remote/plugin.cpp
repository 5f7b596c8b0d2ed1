// `remote`: a device for tests whose memory the host can't see into. Its addresses fault when they are
// touched, its streams work on threads of their own, later and in another order if a test wants so, and its
// errors come late. What it computes with is another file's matter (computing.h).
//
// Environment: REMOTE_DEVICES, how many there are (1); for each REMOTE_DELAY_US and REMOTE_SEED, the delay before
// each piece of work, and the seed of random delays; REMOTE_LOSE_AFTER, pieces of work until it is lost.
#include <torchlight/plugin.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "calls.h"
#include "computing.h"
#include "control.h"

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
  if (index >= number_from("REMOTE_DEVICES", 1))
    throw bad_argument("there is no device " + std::to_string(index));
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
    Conditions& conditions = (*device)->conditions;
    conditions.delay = number_from("REMOTE_DELAY_US", 0);
    conditions.seed = number_from("REMOTE_SEED", 0);
    const std::uint32_t never = ~std::uint32_t{0}, pieces = number_from("REMOTE_LOSE_AFTER", never);
    if (pieces != never) conditions.until_loss = pieces;
  });
}

void close(tl_device* device) noexcept { delete device; }

// ---- memory

std::int32_t allocate(tl_device* device, tl_stream* given, std::uint64_t bytes, tl_memory* memory,
                      tl_error* error) noexcept {
  return guarded(error, [&] {
    device->require_present();
    tl_stream& stream = device->stream(given);
    const std::lock_guard order(device->memory_order);
    bool reused = false;
    tl_block* block = device->memory.allocate(&stream, bytes, reused);
    // Reused storage changes hands when the work before is done.
    if (reused) stream.enqueue({"allocate", [block] { block->storage->owner = block; }, true, false});
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
    stream.enqueue({"release", poison, true, false});
    device->require_present();
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
  return guarded(error, [&] {
    device->require_present();
    *stream = new tl_stream(device->conditions);
  });
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
    const bool is_idle = device->stream(stream).is_idle();  // first: what ends now may end badly
    device->stream(stream).raise_late();
    if (!is_idle) throw Failure(TL_NOT_READY, "still working");
  });
}

std::int32_t stream_sync(tl_device* device, tl_stream* stream, tl_error* error) noexcept {
  return guarded(error, [&] {
    const OneCaller one(device->stream(stream));
    device->stream(stream).sync();
    device->stream(stream).raise_late();
  });
}

std::int32_t event_open(tl_device* device, tl_event** event, tl_error* error) noexcept {
  return guarded(error, [&] {
    device->require_present();
    *event = new tl_event;
  });
}

std::int32_t event_close(tl_device*, tl_event* event, tl_error*) noexcept {
  delete event;
  return TL_OK;
}

std::int32_t event_record(tl_device* device, tl_stream* stream, tl_event* event,
                          tl_error* error) noexcept {
  return guarded(error, [&] {
    device->conditions.dawdle_for_caller();
    event->record(device->stream(stream));
  });
}

std::int32_t event_wait(tl_device* device, tl_stream* stream, tl_event* event,
                        tl_error* error) noexcept {
  return guarded(error, [&] { event->let_wait(device->stream(stream)); });
}

std::int32_t event_poll(tl_device* device, tl_event* event, tl_error* error) noexcept {
  return guarded(error, [&] {
    device->conditions.dawdle_for_caller();
    device->require_present();
    if (!event->is_reached()) throw Failure(TL_NOT_READY, "not reached yet");
  });
}

// ---- for tests

void set_delay(tl_device* device, std::uint32_t microseconds) noexcept {
  device->conditions.delay = microseconds;
}
void set_seed(tl_device* device, std::uint64_t seed) noexcept { device->conditions.seed = seed; }
void fail_after(tl_device* device, std::uint32_t pieces) noexcept {
  device->conditions.until_failure = pieces;
}
void lose_after(tl_device* device, std::uint32_t pieces) noexcept {
  device->conditions.until_loss = pieces;
}
void fail_allocation_after(tl_device* device, std::uint32_t allocations) noexcept {
  device->memory.until_failure = allocations;
}
void forget_failures(tl_device* device) noexcept {
  device->conditions.until_failure = device->conditions.until_loss = device->memory.until_failure = -1;
}
void set_memory(tl_device* device, std::uint64_t bytes) noexcept { device->memory.limit = bytes; }
void reopen_default_stream(tl_device* device) noexcept { device->default_stream.forgive(); }
void count(tl_device* device, remote_counters* counters) noexcept {
  *counters = {device->memory.live_blocks(),   device->memory.live_bytes(),
               device->memory.reused_blocks(), device->conditions.finished,
               device->conditions.delayed,     device->memory.allocations};
}
void pause(tl_device* device, tl_stream* stream) noexcept { device->stream(stream).pause(); }
void resume(tl_device* device, tl_stream* stream) noexcept { device->stream(stream).resume(); }

constexpr remote_control control{sizeof(remote_control),
                                 1,
                                 set_delay,
                                 set_seed,
                                 fail_after,
                                 lose_after,
                                 fail_allocation_after,
                                 forget_failures,
                                 set_memory,
                                 reopen_default_stream,
                                 count,
                                 pause,
                                 resume};

const void* extension(tl_device*, const char* id) noexcept {
  return std::strcmp(id, TL_EXT_REMOTE_CONTROL) == 0 ? &control : find_extension(id);
}

tl_backend make_table() {
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
  table.extension = extension;
  add_primitives(table);
  return table;
}

}  // namespace
}  // namespace remote

std::int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend,
                                  tl_error* error) TL_NOEXCEPT {
  static const tl_backend table = remote::make_table();
  *backend = &table;
  return remote::prepare_computing(host, error);
}
