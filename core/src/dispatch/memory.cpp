#include "dispatch/memory.h"

#include <cstring>

#include "dispatch/observer.h"
#include "support/host_memory.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::dispatch {

namespace {

tl_memory take(OpenDevice& device, std::size_t bytes) {
  tl_memory memory{};
  if (bytes == 0) return memory;
  if (device.is_host()) {
    memory.base = host_memory::allocate(bytes);
    return memory;
  }
  device.prepare(0);
  loader::ErrorText error;
  const std::int32_t status =
      device.table().allocate(device.handle(), nullptr, bytes, &memory, error.get());
  if (status != TL_OK) loader::check(status, device, text("allocating ", bytes, " bytes"), error);
  return memory;
}

}  // namespace

tl_memory allocate(OpenDevice& device, std::size_t bytes) {
  const tl_memory memory = take(device, bytes);
  if (is_observed()) [[unlikely]]
    tell([&](Observer& observer) { observer.allocated(device, memory, bytes); });
  return memory;
}

void release(OpenDevice& device, const tl_memory& memory, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (is_observed()) [[unlikely]]
    tell([&](Observer& observer) { observer.released(memory); });
  if (device.is_host()) return host_memory::release(memory.base, bytes);
  if (device.forked()) return;  // it is the parent's
  loader::ErrorText error;
  if (device.table().release(device.handle(), nullptr, &memory, error.get()) == TL_OK) return;
  if (!device.first_failed_release()) return;
  try {
    log::error(text(device.name(), ": releasing ", bytes, " bytes failed: ", error.reason(),
                    " (said once for each device)"));
  } catch (...) {  // no memory for the text: there is nothing left to say
  }
}

namespace {

void copy(OpenDevice& device, const tl_memory& destination, const tl_memory& source,
          std::size_t bytes) {
  device.prepare(0);
  const tl_copy_args args{sizeof(tl_copy_args), 0, source, destination, bytes};
  loader::ErrorText error;
  {
    const auto stream = device.use_stream();
    const std::int32_t status = device.table().copy(device.handle(), nullptr, &args, error.get());
    if (status != TL_OK) loader::check(status, device, "copy", error);
  }
  synchronize(device);
}

}  // namespace

void copy_in(OpenDevice& device, const tl_memory& destination, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  if (device.is_host())
    std::memcpy(static_cast<char*>(destination.base) + destination.byte_offset, source, bytes);
  else
    copy(device, destination, {const_cast<void*>(source), nullptr, 0}, bytes);
  if (is_observed()) [[unlikely]]
    tell([&](Observer& observer) { observer.copied_in(device, destination, source, bytes); });
}

void copy_out(OpenDevice& device, void* destination, const tl_memory& source, std::size_t bytes) {
  if (bytes == 0) return;
  if (device.is_host())
    std::memcpy(destination, static_cast<const char*>(source.base) + source.byte_offset, bytes);
  else
    copy(device, {destination, nullptr, 0}, source, bytes);
  if (is_observed()) [[unlikely]]
    tell([&](Observer& observer) { observer.copied_out(device, destination, source, bytes); });
}

void synchronize(OpenDevice& device) {
  device.prepare(0);
  if (device.table().stream_sync == nullptr) return;
  loader::ErrorText error;
  const auto stream = device.use_stream();
  const std::int32_t status = device.table().stream_sync(device.handle(), nullptr, error.get());
  if (status != TL_OK) loader::check(status, device, "synchronize", error);
}

}  // namespace torchlight::dispatch
