#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "failure.h"
#include "memory.h"
#include "stream.h"

/// One device: a memory, a default stream, and whatever streams are opened.
struct tl_device {
  remote::Conditions conditions;  // before the streams, which look at it until they end
  remote::Memory memory;
  tl_stream default_stream{conditions};
  std::mutex memory_order;  // a block is free when its release is in the stream, not before

  /// Failure where the device is lost.
  void require_present() const {
    if (conditions.lost) throw remote::Failure(TL_E_DEVICE, remote::Conditions::lost_text);
  }

  tl_stream& stream(tl_stream* given) { return given ? *given : default_stream; }
};
