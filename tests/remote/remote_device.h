#pragma once

#include "../support/remote/control.h"
#include "../tensor/values.h"
#include "loader/registry.h"

/// How the tests steer the device below all the library.
inline const remote_control& control() {
  const torchlight::loader::OpenDevice& device = torchlight::loader::open("remote");
  return *static_cast<const remote_control*>(
      device.table().extension(device.handle(), TL_EXT_REMOTE_CONTROL));
}
inline tl_device* remote_handle() { return torchlight::loader::open("remote").handle(); }

inline remote_counters counters() {
  remote_counters all;
  control().count(remote_handle(), &all);
  return all;
}

/// Not a constant: nothing is opened before the tests run.
inline tl::Options there() { return {.device = "remote"}; }
