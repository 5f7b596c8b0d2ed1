#pragma once

#include <algorithm>
#include <cstring>

#include "device.h"
#include "failure.h"

/// What functions of the table have in common.
namespace remote {

/// Fills what the caller has room for, and leaves its size alone.
template <class T> void answer(T* given, T full) {
  full.size = given->size;
  std::memcpy(given, &full, std::min<std::size_t>(given->size, sizeof full));
}

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

/// Failure unless a call brings the scratch memory that `supports` asked for.
inline void require_workspace(const tl_args& head, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (!head.workspace || head.workspace->extent[0] < static_cast<std::int64_t>(bytes))
    throw bad_argument("the workspace is missing or too small");
}

}  // namespace remote
