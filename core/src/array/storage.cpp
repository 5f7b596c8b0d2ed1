#include "array/storage.h"

#include "dispatch/memory.h"
#include "dispatch/observer.h"

namespace torchlight {

Ref<Storage> Storage::allocate(OpenDevice& device, std::size_t bytes) {
  Ref<Storage> storage(new Storage(device, 0));
  storage->memory_ = dispatch::allocate(device, bytes);
  storage->bytes_ = bytes;  // only now: a failed allocation has nothing to release
  return storage;
}

Ref<Storage> Storage::borrow(OpenDevice& device, void* data, std::size_t bytes,
                             std::function<void()> release) {
  Ref<Storage> storage(new Storage(device, bytes));
  storage->memory_.base = data;
  if (dispatch::is_observed()) [[unlikely]]  // whatever lay there before is gone
    dispatch::tell([&](dispatch::Observer& observer) { observer.released(storage->memory_); });
  storage->borrowed_ = std::make_unique<std::function<void()>>(std::move(release));
  return storage;
}

Storage::~Storage() {
  if (!borrowed_)
    dispatch::release(device_, memory_, bytes_);
  else if (*borrowed_)
    (*borrowed_)();
}

}  // namespace torchlight
